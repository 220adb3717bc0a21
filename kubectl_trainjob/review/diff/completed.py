"""Objects as a cluster keeps them: with the defaults of their schema, which make no difference when they are stated."""

from __future__ import annotations

from kubectl_trainjob.kube.facts.kinds import KindRole, role_of
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.model.stages import Body, identity_of

_JOBSET = "jobset-0.12"


def completed(body: Body, version: str) -> Body:
    """The body with the defaults of that Trainer's API, or of JobSet's; other kinds as they are."""
    identity = identity_of(body)
    schemas = {
        KindRole.JOB_SET: _JOBSET,
        KindRole.TRAINING_JOB: f"trainer-{version}",
        KindRole.RUNTIME: f"trainer-{version}",
    }.get(role_of(identity))
    return schema_for(schemas, identity.api_version, identity.kind).check(body).value if schemas else body
