"""Which object of the old side is which of the new one.

Objects are the same by what the API server tells them apart by: group, kind, namespace and name. Their version is none
of it: `v1alpha1` and `v1beta1` are two spellings of one object. A namespace that appears makes another object of it,
also where it is the one that kubectl would have used: nobody knows that here. TrainJobs under `nameHash` are the same
by the name before the hash. What is left is guessed (`renames`), and said to be.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Generic, Literal, NamedTuple, TypeVar

from kubectl_trainjob.kube.facts.kinds import group_of
from kubectl_trainjob.model.edited import identities
from kubectl_trainjob.model.stages import Manifest, ObjectId, identity_of
from kubectl_trainjob.review.diff.changes import Compiled
from kubectl_trainjob.review.diff.fields import woven
from kubectl_trainjob.review.diff.renames import PlainObject, guessed

__all__ = ["Basis", "Pair", "PlainObject", "pair_jobs", "pair_made", "pair_objects"]

Basis = Literal["identity", "version", "name hash", "guess"]
"""Why two objects are taken for one: the same identity; the same but for the version; the same name before the hash;
both say much the same. For the first two the cluster updates the object, for the others it makes a new one.
"""

Item = TypeVar("Item")


class Pair(NamedTuple, Generic[Item]):
    """An object of both sides, or of one: then the other is None, and so is `by`."""

    old: Item | None
    new: Item | None
    by: Basis | None = None


class _Round(NamedTuple):
    """What the objects of each side are called; None for those that take no part.

    The first object of a name is the first one of the other side; with `alone` a name that several have is none.
    """

    by: Basis
    old: Sequence[Hashable]
    new: Sequence[Hashable]
    alone: bool = False


def pair_jobs(old: Sequence[Compiled], new: Sequence[Compiled]) -> list[Pair[Compiled]]:
    """The TrainJobs of both sides, each once, in the new order; what is gone stands behind what it stood behind."""
    before, after = ([job.manifest for job in side] for side in (old, new))
    old_printed, new_printed = ([PlainObject(job.id, job.body, job.source) for job in side] for side in (before, after))
    names: tuple[Callable[[Manifest], Hashable], ...] = (_hashed_by, _unhashed)
    hashes = [_Round("name hash", [*map(name, before)], [*map(name, after)], alone=True) for name in names]
    return _pairs(old, new, _matched(old_printed, new_printed, hashes))


def pair_objects(old: Sequence[PlainObject], new: Sequence[PlainObject]) -> list[Pair[PlainObject]]:
    """The objects of both sides that no TrainJob is expanded to, as `pair_jobs`."""
    return _pairs(old, new, _matched(old, new))


def pair_made(jobs: Pair[Compiled]) -> list[Pair[PlainObject]]:
    """The objects that a pair of TrainJobs becomes, by kind and by what their names add to the job's.

    They are the same for the reason that the jobs are. Nothing is guessed: a ConfigMap that only one side needs is on
    one side.
    """
    (old, old_names), (new, new_names) = _made(jobs.old), _made(jobs.new)
    paired = _in_round(_Round(jobs.by or "identity", old_names, new_names), range(len(old)), range(len(new)))
    found = {i: (j, _basis(jobs.by, old[i], new[j])) for i, j in paired}
    return _pairs(old, new, _in_order(found, len(old), len(new)))


def _made(job: Compiled | None) -> tuple[list[PlainObject], list[Hashable]]:
    """A TrainJob's objects, and what tells them apart besides the job."""
    objects = [PlainObject(identity_of(body), body) for body in (job.objects if job else ())]
    start = job.manifest.id.name if job else ""
    return objects, [(*_group_kind(each.identity), each.identity.name.removeprefix(start)) for each in objects]


def _basis(by: Basis | None, old: PlainObject, new: PlainObject) -> Basis:
    if by in (None, "identity") and old.identity.api_version != new.identity.api_version:
        return "version"
    return by or "identity"


_Match = tuple[int | None, int | None, Basis | None]


def _pairs(old: Sequence[Item], new: Sequence[Item], matches: list[_Match]) -> list[Pair[Item]]:
    return [Pair(None if i is None else old[i], None if j is None else new[j], by) for i, j, by in matches]


def _matched(old: Sequence[PlainObject], new: Sequence[PlainObject], more: Sequence[_Round] = ()) -> list[_Match]:
    """The indices of what is the same, round by round; what is left is guessed at the end."""
    found: dict[int, tuple[int, Basis]] = {}
    rows, columns = [*range(len(old))], [*range(len(new))]
    names: tuple[tuple[Basis, Callable[[PlainObject], Hashable]], ...]
    names = ("identity", _content), ("identity", _identity), ("version", _unversioned)
    for each in (*(_Round(by, [*map(name, old)], [*map(name, new)]) for by, name in names), *more):
        found.update((i, (j, each.by)) for i, j in _in_round(each, rows, columns))
        taken = {j for j, _ in found.values()}
        rows, columns = [i for i in rows if i not in found], [j for j in columns if j not in taken]
    for i, j in guessed([old[i] for i in rows], [new[j] for j in columns]):
        found[rows[i]] = columns[j], "guess"
    return _in_order(found, len(old), len(new))


def _in_round(names: _Round, rows: Sequence[int], columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The indices of what has the same name."""
    old_counts, new_counts = Counter(names.old[i] for i in rows), Counter(names.new[j] for j in columns)
    waiting: dict[Hashable, deque[int]] = {}
    for i in rows:
        waiting.setdefault(names.old[i], deque()).append(i)
    for j in columns:
        name = names.new[j]
        is_clear = not names.alone or old_counts[name] == new_counts[name] == 1
        if name is not None and is_clear and waiting.get(name):
            yield waiting[name].popleft(), j


def _in_order(found: dict[int, tuple[int, Basis]], old: int, new: int) -> list[_Match]:
    origins: dict[int, tuple[int, Basis]] = {j: (i, by) for i, (j, by) in found.items()}
    matches: list[_Match] = []
    for name in woven([found[i][0] if i in found else -1 - i for i in range(old)], range(new)):
        if name in origins:
            matches.append((origins[name][0], name, origins[name][1]))
        else:
            matches.append((-1 - name, None, None) if name < 0 else (None, name, None))
    return matches


def _group_kind(identity: ObjectId) -> tuple[str, str]:
    return group_of(identity.api_version), identity.kind


def _content(printed: PlainObject) -> Hashable:
    """All of an object that the cluster gives its name; None for the others, which their names tell apart."""
    return None if printed.identity.name else json.dumps(printed.body, sort_keys=True)


def _identity(printed: PlainObject) -> Hashable:
    return printed.identity, _generated(printed)


def _unversioned(printed: PlainObject) -> Hashable:
    identity = printed.identity
    return *_group_kind(identity), identity.namespace, identity.name, _generated(printed)


def _generated(printed: PlainObject) -> str:
    """What the cluster makes the name from, "" for an object with a name."""
    return "" if printed.identity.name else str((printed.body.get("metadata") or {}).get("generateName"))


def _unhashed(job: Manifest) -> ObjectId:
    """The identity before the hash, which is the last that is done to a name; the job's own where there is none."""
    names = identities(job)
    is_hashed = job.name_hash is not None and len(names) > 1 and job.id.name.startswith(f"{names[1].name}-")
    return replace(job.id, name=names[1].name) if is_hashed else job.id


def _hashed_by(job: Manifest) -> Hashable:
    """The identity before the hash together with the overlay that wants it; None without one."""
    return (_unhashed(job), job.name_hash.source.file.common_path) if job.name_hash else None
