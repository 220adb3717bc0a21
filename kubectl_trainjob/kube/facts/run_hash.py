"""The hash of a run's content: with an equal hash, the running part is unchanged."""

from __future__ import annotations

import json

from kubectl_trainjob.model.stages import Body

RUN_ANNOTATION = "kubectl-trainjob.dev/run"
"""Any text; another text is another run."""

_LENGTH = 16
_OMITTED = ("suspend", "ttlSecondsAfterFinished")


def run_hash(body: Body, run: str) -> str:
    """16 hexadecimal digits for the spec of a JobSet or TrainJob as built, and the text of `RUN_ANNOTATION`.

    Metadata does not count, because it does not reach Pods. The order of keys does not count.
    """
    from hashlib import sha256

    spec = hashed_spec(body)
    text = json.dumps([spec, run] if run else [spec], sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_LENGTH]


def hashed_spec(body: Body) -> Body:
    """The part of a spec that is the content of a run."""
    spec = body.get("spec")  # of an invalid object, it may be anything
    return {key: value for key, value in spec.items() if key not in _OMITTED} if isinstance(spec, dict) else {}
