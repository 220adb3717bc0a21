"""Numbers about the loop, as text for Prometheus. The names of Flux and controller-runtime, where they have one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock
from types import MappingProxyType

from kubectl_trainjob.cluster.protocol import ApiAnswer, ApiRequest

_BUCKETS = (0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
_Labels = tuple[tuple[str, str], ...]
_SetLabels = tuple[str, str]
"""The labels `namespace` and `name`: those of a TrainingSet, "" without."""

FAMILIES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "gotk_reconcile_duration_seconds": ("histogram", "The time of the reconciles of a TrainingSet."),
        "controller_runtime_reconcile_total": ("counter", "Reconciles by their result."),
        "workqueue_depth": ("gauge", "TrainingSets that are due."),
        "rest_client_requests_total": ("counter", "Requests to the API server."),
        "leader_election_master_status": ("gauge", "Whether this replica holds the Lease."),
        "trainjob_compile_duration_seconds": ("histogram", "The time of builds by their result."),
        "trainjob_applied_objects": ("gauge", "Objects of a TrainingSet that are as the files say."),
        "trainjob_compared_jobs": ("gauge", "TrainJobs of a TrainingSet by the result of their comparison."),
        "trainjob_pruned_total": ("counter", "Objects that were pruned."),
        "trainjob_refused_total": ("counter", "Objects that were not written because a user must decide."),
        "trainjob_watch_restarts_total": ("counter", "Watches that began again before they were due."),
        "trainjob_last_success_timestamp_seconds": ("gauge", "When a TrainingSet was applied last."),
    }
)
"""The type and the help text of each family."""


class Metrics:
    """The numbers by family, TrainingSet and labels; safe for several threads."""

    def __init__(self) -> None:
        self._values: dict[str, dict[_SetLabels, dict[_Labels, float]]] = {name: {} for name in FAMILIES}
        self._lock = Lock()

    def count(self, name: str, by: float = 1.0, /, **labels: str) -> None:
        """Add to a counter."""
        with self._lock:
            self._add(name, by, labels)

    def set(self, name: str, value: float, /, **labels: str) -> None:
        """Set a gauge."""
        with self._lock:
            self._series(name, labels)[tuple(labels.items())] = value

    def replace(self, name: str, labels: Mapping[str, str], by: str, values: Mapping[str, int]) -> None:
        """Set the gauges of a TrainingSet, one for each value of label `by`, and remove all others of it."""
        series = {(*labels.items(), (by, value)): float(number) for value, number in values.items()}
        with self._lock:
            self._values[name][_set_of(labels)] = series

    def observe(self, name: str, seconds: float, /, **labels: str) -> None:
        """Add a time to a histogram."""
        with self._lock:
            for bucket in (*_BUCKETS, float("inf")):
                self._add(name, float(seconds <= bucket), {**labels, "le": "+Inf" if bucket > 1e9 else f"{bucket:g}"})
            self._add(name, seconds, {**labels, "": "sum"})
            self._add(name, 1.0, {**labels, "": "count"})

    def count_request(self, host: str, request: ApiRequest, answer: ApiAnswer) -> None:
        """Count a request to the API server; "<error>" means no answer, as in client-go."""
        code = str(answer.status) if answer.status > 0 else "<error>"
        self.count("rest_client_requests_total", code=code, method=request.method, host=host)

    def forget(self, namespace: str, name: str) -> None:
        """Remove the series of a TrainingSet that no longer exists."""
        with self._lock:
            for family in self._values.values():
                family.pop((namespace, name), None)

    def text(self) -> str:
        """All families in the text format of Prometheus."""
        with self._lock:
            return "".join(f"{line}\n" for name in FAMILIES for line in self._lines(name))

    def _add(self, name: str, by: float, labels: Mapping[str, str]) -> None:
        series, key = self._series(name, labels), tuple(labels.items())
        series[key] = series.get(key, 0.0) + by

    def _series(self, name: str, labels: Mapping[str, str]) -> dict[_Labels, float]:
        return self._values[name].setdefault(_set_of(labels), {})

    def _lines(self, name: str) -> Iterator[str]:
        kind, help_text = FAMILIES[name]
        yield f"# HELP {name} {help_text}"
        yield f"# TYPE {name} {kind}"
        for labels, value in (each for series in self._values[name].values() for each in series.items()):
            suffix = dict(labels).get("", "bucket" if kind == "histogram" else "")
            shown = ",".join(f'{key}="{_escaped(each)}"' for key, each in labels if key)
            yield f"{name}{f'_{suffix}' if suffix else ''}{{{shown}}} {value:.15g}"


def _set_of(labels: Mapping[str, str]) -> _SetLabels:
    return labels.get("namespace", ""), labels.get("name", "")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
