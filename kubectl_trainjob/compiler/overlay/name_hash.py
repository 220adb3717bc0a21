"""`nameHash`: a hash of its content in a TrainJob's name, so that a changed job is a new run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.edited import OBJECT, Edit, edited
from kubectl_trainjob.model.stages import Body, Manifest

_LENGTH = 10


def with_hash(job: Manifest, contents: Iterable[Body]) -> Manifest:
    """The TrainJob with "-" and ten hexadecimal digits behind its name, those of its own and the other `contents`.

    The name itself counts; the order of keys and the way in which the files are written do not.
    """
    name_hash = job.name_hash
    if name_hash is None or not job.id.name:
        return job
    name = f"{job.id.name}-{_digest([job.body, *contents])}"
    cause = ("overlay", *name_hash.pointer)
    because = (OBJECT, "metadata", "name"), cause
    write = partial(Draft.put, pointer=("metadata", "name"), value=name, because=because)
    edit = Edit("overlay nameHash", write, cause)
    written = edit.write(Draft(job.body))
    assert written is not None
    return edited(job, written.value, {"overlay": name_hash.source}, (edit,))


def _digest(contents: list[Body]) -> str:
    from hashlib import sha256

    text = json.dumps(contents, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_LENGTH]
