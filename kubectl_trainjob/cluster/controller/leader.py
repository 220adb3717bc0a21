"""Which of several replicas may write: the one that holds a Lease. Times are of this process's monotonic clock.

A holder stops to write `renew_deadline` after the start of its last successful renewal. Another replica takes the Lease
if it has seen no renewal for the whole `duration`, which is longer. Clocks of machines are not compared.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from kubectl_trainjob.cluster.protocol import NO_ANSWER, UNTRUSTED, ApiAnswer, ApiRequest, Clock, Connection
from kubectl_trainjob.model.stages import Body

LEASE = "kubectl-trainjob-controller"
_TRIES = 2  # after a conflict, the Lease is read again


class LeaseTimes(NamedTuple):
    """Seconds: how long a Lease is valid, how long its holder may write, and how often it is renewed."""

    duration: float = 35.0
    renew_deadline: float = 30.0
    retry_period: float = 5.0


class Leader:
    """One replica's view of the Lease."""

    def __init__(self, connection: Connection, clock: Clock, namespace: str, identity: str, times: LeaseTimes) -> None:
        self._connection, self._clock, self._times = connection, clock, times
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
        self._namespace, self.identity = namespace, identity
        self._seen: tuple[str | None, float] = (None, 0.0)  # the version of the Lease, and when it was seen first
        self._until = float("-inf")
        self.problem = ""
        """Why the last try to renew the Lease failed, "" if it did not, or if another replica holds it."""

    @property
    def may_write(self) -> bool:
        """Whether this replica holds the Lease now."""
        return self.left > 0

    @property
    def left(self) -> float:
        """The seconds until this replica must not write, unless it renews the Lease."""
        return self._until - self._clock.monotonic()

    def renew(self) -> None:
        """Take the Lease, or renew it, if that is possible now."""
        for _ in range(_TRIES):
            start = self._clock.monotonic()
            answer = self._exchange()
            is_problem = answer is not None and not answer.is_success
            self.problem = f"{answer.status} {answer.message}" if answer and is_problem else ""
            if answer is None:
                self._until = float("-inf")
                return
            if answer.is_success:
                self._until = start + self._times.renew_deadline
            if answer.status != 409:
                return

    def _exchange(self) -> ApiAnswer | None:
        """Read the Lease and write it: the last answer; None if another replica holds it, or may hold it."""
        answer = self._send("GET", f"{self._path}/{LEASE}", None)
        if answer.status == 404:
            # A Lease that was deleted is not free: its holder may not know yet.
            if self._seen[0] is not None and not self.may_write and not self._has_expired("deleted"):
                return None
            return self._send("POST", self._path, self._lease({"name": LEASE, "namespace": self._namespace}, {}))
        if not answer.is_success:
            return answer
        metadata, spec = answer.body["metadata"], answer.body.get("spec") or {}
        has_expired = self._has_expired(metadata["resourceVersion"], spec.get("leaseDurationSeconds"))
        if spec.get("holderIdentity") not in (None, "", self.identity) and not has_expired:
            return None
        kept = {key: metadata[key] for key in ("name", "namespace", "resourceVersion", "uid")}
        return self._send("PUT", f"{self._path}/{LEASE}", self._lease(kept, spec))

    def release(self) -> None:
        """Let another replica take the Lease at once. Nothing may be written after this."""
        self._until = float("-inf")
        answer = self._send("GET", f"{self._path}/{LEASE}", None)
        if answer.is_success and (answer.body.get("spec") or {}).get("holderIdentity") == self.identity:
            spec = {**answer.body["spec"], "holderIdentity": "", "leaseDurationSeconds": 1}
            self._send("PUT", f"{self._path}/{LEASE}", {**answer.body, "spec": spec})

    def _has_expired(self, version: str, duration: int | None = None) -> bool:
        """Whether this replica has seen no other version of the Lease for its whole duration."""
        now = self._clock.monotonic()
        if self._seen[0] != version:
            self._seen = version, now
        return now - self._seen[1] >= (duration or self._times.duration)

    def _lease(self, metadata: Body, spec: Body) -> Body:
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
        is_ours = spec.get("holderIdentity") == self.identity
        changes = int(spec.get("leaseTransitions") or 0)
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": metadata,
            "spec": {
                "holderIdentity": self.identity,
                "leaseDurationSeconds": max(1, round(self._times.duration)),
                "acquireTime": spec.get("acquireTime", now) if is_ours else now,
                "renewTime": now,
                "leaseTransitions": changes + (bool(spec) and not is_ours),
            },
        }

    def _send(self, method: str, path: str, body: Any) -> ApiAnswer:
        answer = self._connection.send(ApiRequest(method, path, body=body), self._times.retry_period)
        if answer.status in (401, UNTRUSTED):
            self._connection.renew()
        if answer.is_success and not isinstance(answer.body, dict):
            return ApiAnswer(NO_ANSWER, "the answer is not from an API server")
        return answer
