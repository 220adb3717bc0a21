"""The verbs that we use of the API server: each answer is plain JSON, each error an `ApiError`.

Retries are the same for every verb and dry run: 6 tries, with random pauses that grow to 15 seconds. `Retry-After`
overrides them. A request that is repeated after a lost answer has the same effect once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any

from kubectl_trainjob.cluster import protocol
from kubectl_trainjob.cluster.errors import ApiError, error_of, is_temporary
from kubectl_trainjob.cluster.protocol import ApiAnswer, ApiRequest, Clock, Connection
from kubectl_trainjob.cluster.resources import ApiResource
from kubectl_trainjob.model.faults import EnvironmentFault
from kubectl_trainjob.model.stages import Body, ObjectId

MANAGER = "kubectl-trainjob"
_TRIES, _FIRST_TRIES = 6, 3
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 15.0
_PAGE = "500"
_EXPIRED = 410
_NO_API_SERVER = "the answer is not from an API server; check the address in the kubeconfig"
_MISSING_KIND = 10.0  # seconds: a definition that was just created appears late in discovery


class Counts:
    """How many requests were sent, by several threads."""

    def __init__(self) -> None:
        self.read = self.dry_run = self.write = 0
        self._lock = Lock()

    def add(self, request: ApiRequest) -> None:
        """Count one more."""
        with self._lock:
            self.dry_run += request.is_dry_run
            self.write += request.is_write
            self.read += not request.is_dry_run and not request.is_write


class Api:
    """The API server as one user; `request_timeout` and `timeout` are seconds, 0 for none.

    `timeout` limits the whole command from now on.
    """

    def __init__(self, connection: Connection, clock: Clock, request_timeout: float, timeout: float) -> None:
        self.connection, self.clock = connection, clock
        self.counts = Counts()
        self.date = ""
        """The newest Date of the server, RFC 3339."""
        self._request_timeout = request_timeout or 3600.0
        self._deadline = clock.monotonic() + timeout if timeout else float("inf")
        self._tries = _FIRST_TRIES
        self._credentials = 0
        self._renewing = Lock()
        self._resources: dict[tuple[str, str], ApiResource] = {}
        self._discovered: set[str] = set()
        self._patience: dict[tuple[str, str], float] = {}

    @property
    def left(self) -> float:
        """The remaining seconds of `--timeout`."""
        return self._deadline - self.clock.monotonic()

    def extend(self, seconds: float) -> None:
        """Leave at least these seconds: what was done must be recorded also if the time is over."""
        self._deadline = max(self._deadline, self.clock.monotonic() + seconds)

    def get(self, identity: ObjectId, *, is_secret: bool = False) -> Body | None:
        """An object, None if it does not exist. Of a Secret only the metadata is read."""
        resource = self.resource(identity)
        accept = protocol.METADATA_ONLY if is_secret else "application/json"
        answer = self.send(ApiRequest("GET", resource.path(identity.namespace, identity.name), accept=accept))
        found: Body | None = None if answer.status == 404 else _check_answer(answer, None)
        return found

    def list(
        self, resource: ApiResource, namespace: str, selector: str = "", *, fields: str = "", heads_only: bool = False
    ) -> Iterator[Body]:
        """The objects of a kind in a namespace ("" for all); with `heads_only` just their metadata."""
        selectors = {"labelSelector": selector, "fieldSelector": fields}
        query = {name: value for name, value in selectors.items() if value}
        head = {"apiVersion": resource.api_version, "kind": resource.kind}
        items, _ = self.listed(resource.path(namespace), query, heads_only=heads_only)
        return ({**head, **item} for item in items)

    def listed(self, path: str, query: Mapping[str, str], *, heads_only: bool = False) -> tuple[Sequence[Body], str]:
        """The objects of a collection, and its version. Pages that expire meanwhile are read again as one."""
        accept = protocol.METADATA_LIST if heads_only else "application/json"
        items: MutableSequence[Body] = []
        page = {"limit": _PAGE}
        while True:
            answer = self.send(ApiRequest("GET", path, {**page, **query}, accept=accept))
            if answer.status == _EXPIRED and "continue" in page:
                items, page = [], {}
                continue
            found = _check_answer(answer, None)
            items += found.get("items") or ()
            metadata = found.get("metadata") or {}
            if not metadata.get("continue"):
                return items, str(metadata.get("resourceVersion") or "")
            page = {"limit": _PAGE, "continue": metadata["continue"]}

    def apply(
        self,
        body: Body,
        *,
        dry_run: bool = False,
        force: bool = False,
        manager: str = MANAGER,
        repeatable: float = float("inf"),
    ) -> Any:
        """Apply an object server-side: the object as it is then. For `repeatable` see ApiRequest."""
        query = {"fieldManager": manager, "fieldValidation": "Strict", "force": "true" if force else "false"}
        request = ApiRequest("PATCH", self._path(body), _with_dry_run(query, dry_run), body, protocol.APPLY_PATCH)
        return _check_answer(self.send(request._replace(repeatable=repeatable)), body)

    def create(self, body: Body, *, dry_run: bool = False) -> Any:
        """Create an object: the object as it is then."""
        identity = _identity(body)
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict"}
        path = self.resource(identity).path(identity.namespace)
        return _check_answer(self.send(ApiRequest("POST", path, _with_dry_run(query, dry_run), body)), body)

    def merge(self, identity: ObjectId, patch: Body, *, part: str = "", dry_run: bool = False) -> Any:
        """Change an object, or its `part` "/status", by a JSON merge patch."""
        path = self.resource(identity).path(identity.namespace, identity.name) + part
        query = _with_dry_run({"fieldManager": MANAGER}, dry_run)
        return _check_answer(self.send(ApiRequest("PATCH", path, query, patch, protocol.MERGE_PATCH)), patch)

    def delete(
        self, live: Body, *, in_foreground: bool = False, any_version: bool = True, dry_run: bool = False
    ) -> None:
        """Delete exactly this object; with `any_version` also if it changed meanwhile."""
        metadata = live["metadata"]
        conditions = {"uid": metadata["uid"]}
        if not any_version:
            conditions["resourceVersion"] = metadata["resourceVersion"]
        policy = "Foreground" if in_foreground else "Background"
        body = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": conditions, "propagationPolicy": policy}
        if dry_run:
            body["dryRun"] = ["All"]  # in the query it is ignored if there is a body
        answer = self.send(ApiRequest("DELETE", self._path(live), body=body))
        if answer.status != 404:
            _check_answer(answer, None)

    def resource(self, identity: ObjectId) -> ApiResource:
        """How the server serves the kind of an object. Raises ApiError "NotFound"."""
        key = identity.api_version, identity.kind
        while key not in self._resources:
            self._discover(identity.api_version)
            if key in self._resources:
                break
            now = self.clock.monotonic()
            if now >= self._patience.setdefault(key, now + _MISSING_KIND):
                raise missing_kind(identity)
            self.clock.sleep(1.0)
        return self._resources[key]

    def version_of(self, group: str, kind: str) -> str:
        """The apiVersion that has a kind, the preferred one if there are several; "" for none."""
        if not group:
            return "v1"
        answer = self.send(ApiRequest("GET", f"/apis/{group}"))
        if answer.status == 404:
            return ""
        found = _check_answer(answer, None)
        versions = [each["groupVersion"] for each in (found["preferredVersion"], *found["versions"])]
        return next((each for each in versions if self.has_kind(each, kind)), "")

    def has_kind(self, api_version: str, kind: str) -> bool:
        """Whether the server had the kind when it was asked first."""
        if (api_version, kind) not in self._resources and api_version not in self._discovered:
            self._discover(api_version)
        return (api_version, kind) in self._resources

    def send(self, request: ApiRequest) -> ApiAnswer:
        """A request, repeated while its error is temporary. Raises EnvironmentFault if the server never answers."""
        return self._retry(request, lambda timeout: self.connection.send(request, timeout))

    def stream(self, request: ApiRequest, handle: Callable[[bytes], bool], *, quiet: float | None = None) -> ApiAnswer:
        """A request whose answer is a stream of lines, at most `quiet` seconds apart; see `Connection.lines`."""
        return self._retry(request, lambda timeout: self.connection.lines(request, quiet or timeout, handle))

    def _retry(self, request: ApiRequest, send: Callable[[float], ApiAnswer]) -> ApiAnswer:
        pause, is_renewed, latest = _FIRST_PAUSE, False, self.clock.monotonic() + request.repeatable
        for number in range(_TRIES):
            credentials = self._credentials
            answer = send(max(min(self._request_timeout, self.left), 0.001))
            self.counts.add(request)
            if answer.status in (401, protocol.UNTRUSTED) and not is_renewed:
                self._renew(credentials)
                is_renewed = True
                continue
            is_last = number + 1 >= self._tries or (
                answer.status == protocol.NO_ANSWER and self.clock.monotonic() > latest
            )
            if not is_temporary(answer) or is_last or not self._has_waited(answer, pause):
                break
            pause = min(pause * 2, _LONGEST_PAUSE)
        return self._first(answer)

    def _renew(self, credentials: int) -> None:
        """Get new credentials, unless another thread has replaced the ones that were used."""
        with self._renewing:
            if self._credentials == credentials:
                try:
                    self.connection.renew()
                except EnvironmentFault:
                    if not self.counts.write:
                        raise
                self._credentials += 1

    def _has_waited(self, answer: ApiAnswer, pause: float) -> bool:
        """Wait before the next try; False if the time of the command is over."""
        after = next((value for name, value in answer.headers.items() if name.lower() == "retry-after"), "")
        seconds = float(after) if after.isdigit() else pause * self.clock.jitter()
        if seconds >= self.left:
            return False
        self.clock.sleep(seconds)
        return True

    def _first(self, answer: ApiAnswer) -> ApiAnswer:
        """Note the server's date; the first answer of all decides whether there is a server."""
        date = next((value for name, value in answer.headers.items() if name.lower() == "date"), "")
        if date:
            self.date = f"{parsedate_to_datetime(date):%Y-%m-%dT%H:%M:%SZ}"
        if answer.status == 401 and not self.counts.write:
            raise EnvironmentFault(
                "the cluster rejects the credentials (401 Unauthorized); log in again, or use another --context"
            )
        if self._tries == _FIRST_TRIES:
            if answer.status == protocol.UNTRUSTED:
                raise EnvironmentFault(f"the certificate of the cluster is not valid: {answer.message}")
            if answer.status == protocol.NO_ANSWER:
                raise EnvironmentFault(
                    f"the cluster does not answer: {answer.message}; check the network and --context"
                )
            if is_temporary(answer):
                raise EnvironmentFault(
                    f"the cluster is not available: {answer.status} {answer.message}; try again later"
                )
            self._tries = _TRIES
        return answer

    def _discover(self, api_version: str) -> None:
        path = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        answer = self.send(ApiRequest("GET", path))
        self._discovered.add(api_version)
        if answer.status == 404:
            if api_version == "v1":  # each API server has it
                raise EnvironmentFault(_NO_API_SERVER)
            if "v1" not in self._discovered:
                self._discover("v1")
            return
        for each in _check_answer(answer, None).get("resources", ()):
            if "/" not in each["name"]:
                resource = ApiResource(api_version, each["kind"], each["name"], each["namespaced"])
                self._resources[api_version, each["kind"]] = resource

    def _path(self, body: Body) -> str:
        identity = _identity(body)
        return self.resource(identity).path(identity.namespace, identity.name)


def missing_kind(identity: ObjectId) -> ApiError:
    """The error for a kind that the server does not have."""
    return ApiError(
        "NotFound", f"the server has no kind {identity.kind} in {identity.api_version}; install its definition"
    )


def _identity(body: Body) -> ObjectId:
    metadata = body["metadata"]
    return ObjectId(body["apiVersion"], body["kind"], metadata.get("namespace", ""), metadata.get("name", ""))


def _with_dry_run(query: Mapping[str, str], dry_run: bool) -> Mapping[str, str]:
    return {**query, "dryRun": "All"} if dry_run else query


def _check_answer(answer: ApiAnswer, sent: Any) -> Any:
    if not answer.is_success:
        raise error_of(answer, sent)
    if not isinstance(answer.body, dict):
        raise ApiError("Error", _NO_API_SERVER)
    return answer.body
