"""Finds the objects of base and head that are the same.

Objects are the same if they are so to the API server: by group, kind, namespace and name. The version does not count:
`v1alpha1` and `v1beta1` are two spellings of one object. An object with a new namespace is another object, although
kubectl may have used the same namespace: that is not known here. TrainJobs with `nameHash` are the same by the name
before the hash. The rest is guessed (`renames`), and reported as a guess.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from kubectl_trainjob.model.edited_object import without_hash
from kubectl_trainjob.model.groups import group
from kubectl_trainjob.model.stages import Manifest, identity_of
from kubectl_trainjob.review.diff.changes import ComparedJob
from kubectl_trainjob.review.diff.renames import PlainObject, group_kind, guess_renames
from kubectl_trainjob.review.diff.sequences import weave

Basis = Literal["identity", "version", "name hash", "guess"]
"""Why two objects are one: the same identity; the same except for the version; the same name before the hash; similar
contents. For the first two the cluster updates the object, for the others it creates a new one.
"""

SAME = ("identity", "version")
"""The bases of pairs that the cluster updates; in any other pair the second one is a new object."""

Item = TypeVar("Item")
_Matches = dict[int, tuple[int, Basis]]


class Pair(NamedTuple, Generic[Item]):
    """An object of base and head; if only one tree has it, the other and `by` are None."""

    old: Item | None
    new: Item | None
    by: Basis | None = None


JobPair = Pair[ComparedJob]


class _Round(NamedTuple):
    """The names of the objects of each tree; None for those that are not compared.

    The first object of a name is the first one of the other tree. With `is_unique`, names of several objects are
    ignored.
    """

    by: Basis
    old: Sequence[Hashable]
    new: Sequence[Hashable]
    is_unique: bool = False


def pair_jobs(old: Sequence[ComparedJob], new: Sequence[ComparedJob]) -> list[Pair[ComparedJob]]:
    """The TrainJobs of base and head, each once, in the new order; a removed one after its former predecessor."""
    before, after = ([job.manifest for job in side] for side in (old, new))
    old_printed, new_printed = ([PlainObject(job.id, job.body, job.source) for job in side] for side in (before, after))
    names: tuple[Callable[[Manifest], Hashable], ...] = (_hashed_by, without_hash)
    hashes = [_Round("name hash", [*map(name, before)], [*map(name, after)], is_unique=True) for name in names]
    return _in_order(_match(old_printed, new_printed, hashes), old, new)


def pair_objects(old: Sequence[PlainObject], new: Sequence[PlainObject]) -> list[Pair[PlainObject]]:
    """The objects of base and head that are not generated from TrainJobs, as `pair_jobs`."""
    return _in_order(_match(old, new), old, new)


def pair_made(jobs: Pair[ComparedJob]) -> list[Pair[PlainObject]]:
    """The objects that a pair of TrainJobs generates, by kind and by what their names add to the job's.

    They are the same for the same reason as the jobs. There are no guesses: a ConfigMap may be in one tree only.
    """
    (old, old_names), (new, new_names) = _generated_objects(jobs.old), _generated_objects(jobs.new)
    paired = _in_round(_Round(jobs.by or "identity", old_names, new_names), range(len(old)), range(len(new)))
    found = {i: (j, _basis(jobs.by, old[i], new[j])) for i, j in paired}
    return _in_order(found, old, new)


def _generated_objects(job: ComparedJob | None) -> tuple[list[PlainObject], list[Hashable]]:
    """A TrainJob's objects, and what identifies them within the job."""
    objects = [PlainObject(identity_of(body), body) for body in (job.objects if job else ())]
    start = job.manifest.id.name if job else ""
    return objects, [(*group_kind(each.identity), each.identity.name.removeprefix(start)) for each in objects]


def _basis(by: Basis | None, old: PlainObject, new: PlainObject) -> Basis:
    if by in (None, "identity") and old.identity.api_version != new.identity.api_version:
        return "version"
    return by or "identity"


def _match(old: Sequence[PlainObject], new: Sequence[PlainObject], more: Sequence[_Round] = ()) -> _Matches:
    """The indices of objects that are the same, round by round; the rest is guessed at the end."""
    found: _Matches = {}
    rows, columns = [*range(len(old))], [*range(len(new))]
    names: tuple[tuple[Basis, Callable[[PlainObject], Hashable]], ...]
    names = ("identity", _content), ("identity", _identity), ("version", _key_without_version)
    for each in (*(_Round(by, [*map(name, old)], [*map(name, new)]) for by, name in names), *more):
        found.update((i, (j, each.by)) for i, j in _in_round(each, rows, columns))
        taken = {j for j, _ in found.values()}
        rows, columns = [i for i in rows if i not in found], [j for j in columns if j not in taken]
    for i, j in guess_renames([old[i] for i in rows], [new[j] for j in columns]):
        found[rows[i]] = columns[j], "guess"
    return found


def _in_round(names: _Round, rows: Sequence[int], columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The indices of objects with the same name."""
    old_counts, new_counts = Counter(names.old[i] for i in rows), Counter(names.new[j] for j in columns)
    waiting = group((names.old[i], i) for i in reversed(rows))
    for j in columns:
        name = names.new[j]
        is_clear = not names.is_unique or old_counts[name] == new_counts[name] == 1
        if name is not None and is_clear and waiting.get(name):
            yield waiting[name].pop(), j


def _in_order(found: _Matches, old: Sequence[Item], new: Sequence[Item]) -> list[Pair[Item]]:
    origins = {j: Pair(old[i], new[j], by) for i, (j, by) in found.items()}
    partners = [found[i][0] if i in found else -1 - i for i in range(len(old))]
    return [
        Pair(old[-1 - j], None) if j < 0 else origins.get(j) or Pair(None, new[j])
        for j in weave(partners, range(len(new)))
    ]


def _content(printed: PlainObject) -> Hashable:
    """The content of an object that the cluster will name; None for the others, which have names."""
    return None if printed.identity.name else json.dumps(printed.body, sort_keys=True)


def _identity(printed: PlainObject) -> Hashable:
    return printed.identity, _generated_suffix(printed)


def _key_without_version(printed: PlainObject) -> Hashable:
    identity = printed.identity
    return *group_kind(identity), identity.namespace, identity.name, _generated_suffix(printed)


def _generated_suffix(printed: PlainObject) -> str:
    """The prefix of the name that the cluster generates, "" for an object with a name."""
    return "" if printed.identity.name else str((printed.body.get("metadata") or {}).get("generateName"))


def _hashed_by(job: Manifest) -> Hashable:
    """The identity before the hash together with the overlay that adds it; None without a hash."""
    return (without_hash(job), job.name_hash.source.file.common_path) if job.name_hash else None
