"""The hash of a run's content: an equal hash means that nothing that runs has changed."""

from __future__ import annotations

import hashlib
import json

from kubectl_trainjob.model.stages import Body

_LENGTH = 16
_LEFT_OUT = ("suspend", "ttlSecondsAfterFinished")


def run_hash(body: Body, run: str) -> str:
    """16 hexadecimal digits for the spec as built, and the text of the annotation `run`."""
    spec = hashed_spec(body)
    text = json.dumps([spec, run] if run else [spec], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def hashed_spec(body: Body) -> Body:
    """The part of a spec that is the content of a run."""
    return {key: value for key, value in (body.get("spec") or {}).items() if key not in _LEFT_OUT}
