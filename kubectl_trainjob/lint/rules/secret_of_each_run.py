"""KTJ813: A job needs generated keys, which a GitOps tool does not create; under `nameHash` after each change."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.compiler.expand.run import required_secrets
from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.views import LintedJob
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import Severity

_ONCE = '{} does not create Secret "{}", which the job needs; create it once with `kubectl trainjob secrets --create`'
_EACH = (
    '{} does not create Secret "{}", and each change of the job needs another one; run `kubectl trainjob secrets '
    "--create` after each change, or remove nameHash"
)
_SOURCES = (("Secret", ""), ("SealedSecret", "bitnami.com"), ("ExternalSecret", "external-secrets.io"))


def find(job: LintedJob) -> Iterator[Hit]:
    """Jobs with generated keys that no object of the files provides."""
    name_hash, tool = job.resolved.job.manifest.name_hash, job.context.gitops
    if tool is None or job.context.emit == "trainjob":
        return
    for secret in required_secrets(job.resolved):
        if any(job.context.find(kind, secret.namespace, secret.name, group) for kind, group in _SOURCES):
            continue
        if name_hash is None:
            place = job.in_train_job("metadata", "name")
            yield Hit(say(_ONCE, tool, secret.name), place, severity=Severity.INFO)
        else:
            yield Hit(say(_EACH, tool, secret.name), name_hash)
