"""Random objects of the Go API types: what a user may write, zero values and nulls included.

`fullness` is the chance that a field is there; it falls from level to level.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from kubectl_trainjob.kube.facts import types

_QUANTITIES = ("1", "0", "0.5", "1500m", "1.5Gi", "1024Mi", "2e3", "100Ki", "0.1Gi", "+3", "1.500", "12E", 2, 0.25, 4)
_INTEGERS = (0, 0, 1, 8080)
_SCALARS: dict[str, tuple[Any, ...]] = {
    "string": ("", "a", "b", "c", "0", "true"),
    "bool": (True, False),
    "quantity": _QUANTITIES,
    "intOrString": (0, 80, "http", "50%"),
    "time": ("2026-01-02T03:04:05Z",),
}

# No CRD lets these through, and apply configurations do not have them.
_SERVER_SIDE = ("selfLink", "managedFields")

# Fields of PodSpec that only Trainer 2.2.0 has: the modules that answer do not.
_NOT_PINNED = {"workloadRef"}


class Objects:
    """A seeded source of values."""

    def __init__(self, seed: int, *, nulls: bool = True) -> None:
        self._random = Random(seed)
        self._nulls = nulls

    def struct(self, type_name: str, fullness: float = 1.0) -> dict[str, Any]:
        fields = {key: each for key, each in types._struct(type_name).fields.items() if key not in _NOT_PINNED}
        result = {}
        for name, field in fields.items():
            if name not in _SERVER_SIDE and self._random.random() < fullness:
                if self._nulls and self._random.random() < 0.05:
                    result[name] = None
                else:
                    result[name] = self.value(field, fullness * 0.6)
        return result

    def jobset_spec(self, names: Sequence[str] = ("",)) -> dict[str, Any]:
        """A JobSetSpec whose pods are rich; its replicatedJobs have these names, "" standing for any."""
        spec = self.struct("jobset/v1alpha2.JobSetSpec", 0.5)
        jobs = []
        for name in names:
            job = self.struct("jobset/v1alpha2.ReplicatedJob", 0.5)
            template = job["template"] = self.struct("batch/v1.JobTemplateSpec", 0.3)
            template["spec"] = self.struct("batch/v1.JobSpec", 0.4)
            pod = template["spec"]["template"] = self.struct("core/v1.PodTemplateSpec", 0.4)
            pod["spec"] = self.struct("core/v1.PodSpec", 0.8)
            jobs.append({**job, "name": name} if name else job)
        return {**spec, "replicatedJobs": jobs}

    def value(self, field: types.Field, fullness: float) -> Any:
        if field.kind == "struct":
            return self.struct(field.of, fullness)
        if field.kind == "list":
            items = [self._item(field, fullness) for _ in range(self._random.choice((0, 1, 1, 2, 3, 4)))]
            # A set that repeats itself is rejected before anything is merged.
            return list(dict.fromkeys(items)) if field.strategy and not field.merge_key else items
        if field.kind == "map":
            return {self._random.choice("pqrst"): self._item(field, fullness) for _ in range(self._random.randrange(3))}
        if field.kind == "any":
            return {}
        return self._random.choice(_SCALARS.get(field.kind, _INTEGERS))

    def _item(self, field: types.Field, fullness: float) -> Any:
        """A list's entry mostly has its merge key."""
        assert field.elem is not None
        if self._nulls and self._random.random() < 0.02:
            return None
        item = self.value(field.elem, fullness)
        if field.merge_key and self._random.random() < 0.99:
            key = types.field(field.elem.of, field.merge_key)
            assert key is not None
            item[field.merge_key] = self._random.choice(_SCALARS.get(key.kind, _INTEGERS)[1:])
        return item

    def with_directives(self, value: Any) -> Any:
        """A strategic merge patch: the value without some of its entries, with a directive here and there."""
        if isinstance(value, list):
            return [self.with_directives(item) for item in value]
        if not isinstance(value, dict):
            return value
        entries = {key: self.with_directives(item) for key, item in value.items() if self._random.random() < 0.98}
        if self._random.random() < 0.03:
            entries["$patch"] = self._random.choice(("delete", "replace"))
        return entries
