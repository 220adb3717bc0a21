"""Objects as a cluster keeps them: with the defaults of their schema, which make no difference when they are stated."""

from __future__ import annotations

from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.kube.schemas.load import schema_for
from kubectl_trainjob.model.stages import Body, identity_of

_JOBSET = "jobset-0.12"


def completed(body: Body, version: str) -> Body:
    """The body with the defaults of that Trainer's API, or of JobSet's; other kinds as they are."""
    identity = identity_of(body)
    kind = identity.api_version, identity.kind
    if kind == (jobset.API_VERSION, jobset.KIND):
        return schema_for(_JOBSET, *kind).check(body).value
    if identity.api_version == trainer.API_VERSION and identity.kind in trainer.KINDS:
        return schema_for(f"trainer-{version}", *kind).check(body).value
    return body
