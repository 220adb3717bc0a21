"""Requests and limits of a container and of a whole Pod, and the overhead of a Pod.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateResourceRequirements, validatePodResources) and
pkg/apis/core/helper. In a Job's template limits are not the defaults of requests: they are in a Pod only.
"""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from typing import Any

from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.validation import dns_1123_label, qualified_name
from kubectl_trainjob.kube.pods.visit import Form, Visit
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.message import Message, listed, say
from kubectl_trainjob.model.stages import Body

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_HUGE_PAGES = "hugepages-"
_POD_LEVEL = ("cpu", "memory")
_QUOTA = "requests."
_MILLI = Quantity.parse("1m")
_ZERO = Quantity.parse("0")
_PAGES = "must be a multiple of the page size"


@lru_cache(4096)
def amount(text: str | int) -> Quantity:
    """A quantity as the API server keeps it in resources: rounded up to thousandths."""
    given = Quantity.parse(text)
    rounded = Quantity.parse(f"{(given * 1000).value()}m")
    # A number that is too large for thousandths has none that would have to be rounded.
    return rounded if given < rounded < given + _MILLI else given


def _is_native(name: str) -> bool:
    """Whether Kubernetes itself knows the resource; all others are extended resources of devices."""
    return "/" not in name or "kubernetes.io/" in name


@lru_cache(1024)
def _resource_name(name: str) -> Message:
    """The name of a container's resource."""
    if error := qualified_name(name):
        return error
    if "/" not in name:
        if name in _STANDARD or name.startswith(_HUGE_PAGES):
            return Message()
        return say("must be {}, or a domain and a name such as nvidia.com/gpu", listed(_STANDARD, "or", "{}"))
    if _is_native(name) or (not name.startswith(_QUOTA) and not qualified_name(_QUOTA + name)):
        return Message()
    return say('must not start with "{}", and must be short enough for this prefix', _QUOTA)


def _pod_resource_name(name: str) -> Message:
    """The name of a resource of a whole Pod."""
    if (error := qualified_name(name)) or name in _POD_LEVEL or name.startswith(_HUGE_PAGES):
        return error
    return say("must be {} in a whole Pod; set it in a container", listed(_POD_LEVEL, "or", "{}"))


def resources(value: Body, visit: Visit) -> None:
    """The resources of one container."""
    _requirements(value, visit, _resource_name)
    if value.get("claims"):
        visit.enter("claims", value["claims"], _claims)


def _requirements(value: Body, visit: Visit, form: Form) -> None:
    limits, requests = value.get("limits") or {}, value.get("requests") or {}
    for key, amounts in (("limits", limits), ("requests", requests)):
        for name, quantity in amounts.items():
            if _resource_error(name, quantity, form):
                _check_amount(key, name, quantity, visit, form)
    for name, quantity in requests.items():
        _check_limit(name, quantity, limits, visit)
    _check_huge_pages(limits.keys() | requests.keys(), visit)


def _check_huge_pages(names: Set[str], visit: Visit) -> None:
    if any(name.startswith(_HUGE_PAGES) for name in names) and names.isdisjoint(_POD_LEVEL):
        visit.reject(say("huge pages need cpu or memory, too; add one"))


@lru_cache(4096)
def _resource_error(name: str, quantity: str | int, form: Form = _resource_name) -> Message:
    """Why a container cannot have this amount of the resource; also for other owners of such names."""
    number = amount(quantity)
    if error := form(name):
        return error
    if number < _ZERO:
        return say("must be 0 or more")
    if not _is_native(name) and not _is_whole(quantity):
        return say("must be an integer")
    return say(_PAGES) if name.startswith(_HUGE_PAGES) and not _fits_pages(name, number) else Message()


def _check_amount(key: str, name: str, quantity: str | int, visit: Visit, form: Form) -> None:
    what, number = say("{}.{}", Message(key), name), amount(quantity)
    if error := form(name):
        visit.reject(say('resource "{}" {}', name, error), key, name, on="key")
    if number < _ZERO:
        visit.reject(say('{} "{}" must be 0 or more', what, quantity), key, name)
    if not _is_native(name) and not _is_whole(quantity):
        message = say('{} "{}" must be an integer, because devices cannot be divided', what, quantity)
        visit.reject(message, key, name, rule=rules.EXTENDED_RESOURCE_FRACTIONAL)
    if name.startswith(_HUGE_PAGES) and not _fits_pages(name, number):
        visit.reject(say('{} "{}" {}', what, quantity, say(_PAGES)), key, name)


@lru_cache(1024)
def _is_whole(text: str | int) -> bool:
    # Upstream rounds up to thousandths, which a large number overflows.
    return amount(text).milli() % 1000 == 0


def _fits_pages(name: str, number: Quantity) -> bool:
    try:
        page = Quantity.parse(name.removeprefix(_HUGE_PAGES))
    except QuantityError:
        return False
    return page > _ZERO and Quantity.parse(page.value()) == page and number.value() % page.value() == 0


def _check_limit(name: str, quantity: str | int, limits: Body, visit: Visit) -> None:
    limit, at = limits.get(name), ("requests", name)
    if limit == quantity:
        return
    must_equal = not _is_native(name) or name.startswith(_HUGE_PAGES)
    if limit is None:
        if must_equal:
            message = say("{} is requested without a limit; add limits.{}: {}", name, name, quantity)
            visit.reject(message, "limits", rule=rules.EXTENDED_RESOURCE_LIMIT_MISSING, shown=at, on="key")
        return
    requested, most = amount(quantity), amount(limit)
    if must_equal and requested != most:
        message = say('requests.{} "{}" must equal the limit "{}"', name, quantity, limit)
        visit.reject(message, "requests", rule=rules.EXTENDED_RESOURCE_MISMATCH, shown=at, on="key")
    elif requested > most:
        message = say('requests.{} "{}" exceeds the limit "{}"; lower it or raise the limit', name, quantity, limit)
        visit.reject(message, "requests", rule=rules.REQUEST_EXCEEDS_LIMIT, shown=at, on="key")


def _claims(value: list[Body], visit: Visit) -> None:
    seen: set[str] = set()
    with_request: set[str] = set()
    known = Message()
    for claim in visit.items(value):
        name, request = claim.get("name") or "", claim.get("request") or ""
        if not name:
            visit.reject(say("the claim has no name; add the name of one of the Pod's resourceClaims"))
            continue
        if request and name not in seen:
            visit.check_text("request", request, dns_1123_label, "request")
        key = f"{name}/{request}" if request else name
        if name in seen or key in seen or (not request and name in with_request):
            visit.reject(say('duplicate claim "{}"; remove one', key))
        if name not in seen:
            seen.add(key)
            with_request.update([name] if request else ())
        if name not in visit.pod.claims:
            known = known or listed(sorted(visit.pod.claims)) or say("none")
            visit.reject(say('claim "{}" does not exist in resourceClaims ({}); add it', name, known))


def pod_resources(value: Body, visit: Visit) -> None:
    """The resources of a Pod as a whole."""
    if value.get("claims") is not None:
        visit.reject(say("a Pod as a whole cannot have claims; set them in its containers"), "claims", on="key")
        visit.enter("claims", value["claims"], _claims)
    _requirements(value, visit, _pod_resource_name)
    _check_containers(value, visit.pod.spec, visit)


def _check_containers(value: Body, spec: Body, visit: Visit) -> None:
    """The containers together must not request more than the Pod, and none may have a higher limit."""
    for key, applies in (("requests", lambda _: True), ("limits", lambda name: name.startswith(_HUGE_PAGES))):
        amounts = value.get(key) or {}
        for name, sum_of_all in _sums(spec, key).items():
            if name in amounts and applies(name) and sum_of_all > amount(amounts[name]):
                template = '{}.{} "{}" is less than the containers\' {}; raise it'
                visit.reject(say(template, Message(key), name, amounts[name], str(sum_of_all)), key, name)
    limits = value.get("limits") or {}
    for index, container in enumerate(spec.get("containers") or ()):
        for name, limit in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in limits and amount(limit) > amount(limits[name]):
                template = '{} "{}" exceeds the Pod\'s limit "{}"; lower it or raise the Pod\'s'
                last = visit.trail.pop()
                visit.reject(say(template, name, limit, limits[name]), "containers", index, "resources", "limits", name)
                visit.trail.append(last)


def _sums(spec: Body, key: str) -> dict[str, Quantity]:
    """The requests or limits of all containers of a Pod at one time."""
    from kubectl_trainjob.kube.facts.resources import pod_requests

    def as_requests(containers: Any) -> list[dict[str, Any]]:
        return [{**one, "resources": {"requests": (one.get("resources") or {}).get(key)}} for one in containers or ()]

    return pod_requests({kind: as_requests(spec.get(kind)) for kind in ("containers", "initContainers")})


def overhead(value: Body, visit: Visit) -> None:
    """The resources that a Pod costs in addition to its containers, checked as limits of a container."""
    for name, quantity in value.items():
        if error := _resource_error(name, quantity):
            visit.reject(say('overhead.{} "{}" {}', name, quantity, error), name)
    _check_huge_pages(value.keys(), visit)
