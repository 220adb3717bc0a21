"""The names of a job's old Pods in texts and selectors, and those of the new ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.operators import JAX, PYTORCH, TENSORFLOW, V2BETA1, LegacyJob
from kubectl_trainjob.model.source import Pointer, entries

OPERATORS_LABELS = "training.kubeflow.org/"
_TYPE, _ROLE = f"{OPERATORS_LABELS}replica-type", f"{OPERATORS_LABELS}job-role"
_JOBSET = "jobset.sigs.k8s.io/"
_INDEX = "batch.kubernetes.io/job-completion-index"
_KEPT_FIELDS = frozenset({"name", "image", "envFrom", "volumeMounts", "volumeDevices", "resources"})


class Peers(NamedTuple):
    """Translates names. `host` gives a role's new address by its index; `select` the labels that select a role."""

    job: LegacyJob
    host: Callable[[str, int], str]
    select: Callable[[str], Mapping[str, str] | None]

    def translated(self, value: Any) -> Any:
        """Data with the new addresses; names and images of containers are kept."""
        if isinstance(value, str):
            return self._pattern().sub(self._new, value) if self.job.name in value else value
        if isinstance(value, list):
            return [self.translated(item) for item in value]
        if isinstance(value, dict):
            return {key: item if key in _KEPT_FIELDS else self.translated(item) for key, item in value.items()}
        return value

    def _pattern(self) -> re.Pattern[str]:
        name = re.escape(self.job.name)
        roles = "|".join(role.name for role in self.job.roles)
        return re.compile(rf"(?<![\w.-]){name}-(?:(launcher)|({roles})-(\d+))(?![\w-])(?:\.{name}(?![\w-]))?")

    def _new(self, match: re.Match[str]) -> str:
        launcher, role, index = match.groups()
        if launcher and not self.job.role("Launcher"):
            return match[0]
        return self.host(launcher or role, int(index or 0))

    def selected(self, value: Any) -> Any:
        """Affinity and spread with the new labels in selectors."""
        if isinstance(value, list):
            return [self.selected(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "matchLabels" in value or "matchExpressions" in value:
            return self._selector(value)
        return {key: self.selected(item) for key, item in value.items()}

    def _selector(self, selector: Mapping[str, Any]) -> dict[str, Any]:
        labels: dict[str, str] = {}
        for key, text in (selector.get("matchLabels") or {}).items():
            labels |= self._labels(key, text)
        expressions = [self._expression(each) for each in selector.get("matchExpressions") or ()]
        new: dict[str, Any] = {"matchLabels": labels} if labels else {}
        if expressions:
            new["matchExpressions"] = expressions
        return {
            **new,
            **{key: item for key, item in selector.items() if key not in ("matchLabels", "matchExpressions")},
        }

    def _labels(self, key: str, text: str) -> Mapping[str, str]:
        if key == f"{OPERATORS_LABELS}job-name":
            return {f"{_JOBSET}jobset-name": text}
        if key in (_TYPE, _ROLE):
            return self._selected_role(key, text) or {key: text}
        if key == f"{OPERATORS_LABELS}replica-index" and len(self.job.roles) == 1:
            return {_INDEX: text}
        return {key: text}

    def _selected_role(self, key: str, text: str) -> Mapping[str, str] | None:
        """The new labels of a role. The role of the training operator is only "master", of the Pod that leads."""
        if key == _TYPE or self.job.operator.api_version == V2BETA1:
            return self.select(text)
        if text != "master":
            return None
        leader = next((role.name for role in self.job.roles if role.key in ("Chief", "Master", "Launcher")), "")
        if leader:
            return self.select(leader)
        leads = self.job.operator.kind in (PYTORCH, TENSORFLOW, JAX)
        return {**(self.select("worker") or {}), _INDEX: "0"} if leads else None

    def _expression(self, expression: Mapping[str, Any]) -> dict[str, Any]:
        key, values = expression.get("key"), expression.get("values") or ()
        if key == f"{OPERATORS_LABELS}job-name":
            return {**expression, "key": f"{_JOBSET}jobset-name"}
        if key in (_TYPE, _ROLE):
            selected = [self._selected_role(str(key), text) or {} for text in values]
            keys = {name for each in selected for name in each}
            if len(keys) == 1 and all(selected):
                (name,) = keys
                return {**expression, "key": name, "values": [each[name] for each in selected]}
        return dict(expression)


def label_places(value: Any, at: Pointer = ()) -> Iterator[tuple[str, Pointer]]:
    """The operators' labels that data selects by or refers to, and where."""
    if isinstance(value, dict):
        yield from ((key, (*at, "matchLabels", key)) for key in value.get("matchLabels") or () if _is_old(key))
        yield from ((value[key], (*at, key)) for key in ("key", "fieldPath") if _is_old(value.get(key)))
    for key, item in entries(value):
        yield from label_places(item, (*at, key))


def _is_old(text: Any) -> bool:
    return isinstance(text, str) and OPERATORS_LABELS in text
