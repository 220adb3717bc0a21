"""The commands of the manual for neither Argo CD nor Flux."""

from __future__ import annotations

import pytest

from tests.gitops import jobs
from tests.gitops.argocd import Repository
from tests.gitops.manual import block, shell

pytestmark = pytest.mark.cluster


def test_ci_applies_a_change_beside_a_run(plane, tmp_path):
    client, script = plane.client, block("delivery", "sh", "kubectl trainjob lint").replace("-n training", "-n neither")
    client.create_namespace("neither")
    repository = Repository(tmp_path / "repository")
    repository.commit(jobs.repository("job", "kubectl"))
    assert "job" in shell(script, repository.folder, KUBECONFIG=str(plane.kubeconfig))
    before = jobs.live_jobset(client, "neither")
    repository.commit({"jobs/settings.yaml": jobs.config(2)})
    shell(script, repository.folder, KUBECONFIG=str(plane.kubeconfig))
    assert jobs.live_config(client, "neither")["rate"] == "2"
    repository.commit({"jobs/settings.yaml": None})
    shell(script, repository.folder, KUBECONFIG=str(plane.kubeconfig))
    assert jobs.live_config(client, "neither") is None
    assert jobs.live_jobset(client, "neither")["metadata"]["uid"] == before["metadata"]["uid"]
