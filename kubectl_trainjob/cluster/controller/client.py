"""The connections of the loop: its own, and those as the service accounts of TrainingSets."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.protocol import ApiAnswer, ApiRequest, Clock, Connection


class LeaseLostError(Exception):
    """Another replica may be the leader now: this one must not write."""


_MOST = 32  # connections: of the users that were not used for longest, they are made again


class Client:
    """One connection for each of the last users; `connect` makes that of a user, "" for the loop itself."""

    def __init__(self, connect: Callable[[str], Connection], request_timeout: float) -> None:
        self._connect, self._request_timeout = connect, request_timeout
        self._connections: dict[str, Connection] = {}
        self._lock = Lock()

    def api(self, user: str, clock: Clock, timeout: float) -> Api:
        """The API server as a user, for `timeout` seconds from now, 0 for no limit."""
        with self._lock:
            connection = self._connections.pop(user, None) or self._connect(user)
            self._connections[user] = connection  # the newest one is last
            if len(self._connections) > _MOST:
                del self._connections[next(iter(self._connections))]
            return Api(connection, clock, self._request_timeout, timeout)


class FencedConnection:
    """A connection that gives a write the time that the Lease leaves; `left` is its seconds.

    The time limits the wait for each part of an answer. `count` gets each request and its answer.
    """

    def __init__(
        self, inner: Connection, left: Callable[[], float], count: Callable[[ApiRequest, ApiAnswer], None]
    ) -> None:
        self._inner, self._left, self._count = inner, left, count
        self.namespace = inner.namespace

    def send(self, request: ApiRequest, timeout: float) -> ApiAnswer:
        """One request. Raises LeaseLostError for a write without the lease."""
        left = self._left() if request.is_write else timeout
        if left <= 0:
            raise LeaseLostError
        answer = self._inner.send(request, min(timeout, left))
        self._count(request, answer)
        return answer

    def lines(self, request: ApiRequest, timeout: float, handle: Callable[[bytes], bool]) -> ApiAnswer:
        """A request whose answer is a stream of lines."""
        answer = self._inner.lines(request, timeout, handle)
        self._count(request, answer)
        return answer

    def renew(self) -> None:
        """Get new credentials."""
        self._inner.renew()
