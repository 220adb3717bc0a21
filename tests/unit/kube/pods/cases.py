"""JobSets of one replicatedJob, each with the fields of its Job that kube-apiserver rejects.

The fields were thought out from upstream's documentation and code; test_upstream asks upstream's validation of each.
"""

from __future__ import annotations

from tests.unit.kube.pods import containers_cases, jobs_cases, pods_cases, volumes_cases

CASES = [*containers_cases.cases(), *volumes_cases.cases(), *pods_cases.cases(), *jobs_cases.cases()]
