"""Requests and limits of a container, of a whole Pod and a Pod's overhead.

Mirrors k8s.io/kubernetes/pkg/apis/core/validation (validateResourceRequirements, validatePodResources) and
pkg/apis/core/helper. In a Job's template limits are no defaults of requests: only a Pod's are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from typing import Any

from kubectl_trainjob.kube.facts.numbers import as_int64
from kubectl_trainjob.kube.facts.quantity import Quantity, QuantityError
from kubectl_trainjob.kube.facts.validation import dns_1123_label, qualified_name
from kubectl_trainjob.kube.pods.visit import Visit
from kubectl_trainjob.kube.schemas.messages import listed, quoted
from kubectl_trainjob.model.rules import (
    EXTENDED_RESOURCE_FRACTIONAL,
    EXTENDED_RESOURCE_LIMIT_MISSING,
    EXTENDED_RESOURCE_MISMATCH,
    REQUEST_EXCEEDS_LIMIT,
)

STANDARD = ("cpu", "memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"
_POD_LEVEL = ("cpu", "memory")
_NATIVE = "kubernetes.io/"
_QUOTA = "requests."
_MILLI = Quantity.parse("1m")
_ZERO = Quantity.parse("0")


@lru_cache(4096)
def amount(text: str | int) -> Quantity:
    """A quantity as the API server keeps it in resources: thousandths are the least."""
    given = Quantity.parse(text)
    rounded = Quantity.parse(f"{(given * 1000).value()}m")
    # A number that is too large for thousandths has none that would have to be rounded.
    return rounded if given < rounded < given + _MILLI else given


def is_native(name: str) -> bool:
    """Whether Kubernetes itself knows the resource; all others are extended resources of devices."""
    return "/" not in name or _NATIVE in name


def _must_equal_limit(name: str) -> bool:
    return not is_native(name) or name.startswith(HUGE_PAGES)


@lru_cache(1024)
def _name_fault(name: str) -> str:
    if wrong := qualified_name(name):
        return wrong
    if "/" not in name:
        known = name in STANDARD or name.startswith(HUGE_PAGES)
        return "" if known else f"is no resource of containers; use {listed(STANDARD, 'or')}, or a domain and a name"
    if is_native(name) or (not name.startswith(_QUOTA) and not qualified_name(_QUOTA + name)):
        return ""
    return f"must not start with {quoted(_QUOTA)} and not be too long for it"


def _pod_name_fault(name: str) -> str:
    if wrong := qualified_name(name):
        return wrong
    known = name in _POD_LEVEL or name.startswith(HUGE_PAGES)
    return "" if known else f"is no resource of whole Pods; use {listed(_POD_LEVEL, 'or')}, or state it in a container"


def resources(value: Mapping[str, Any], visit: Visit) -> None:
    """The resources of one container."""
    _requirements(value, visit, _name_fault)
    if value.get("claims"):
        visit.enter("claims", value["claims"], _claims)


def _requirements(value: Mapping[str, Any], visit: Visit, name_fault: Callable[[str], str]) -> None:
    limits, requests = value.get("limits") or {}, value.get("requests") or {}
    for key, amounts in (("limits", limits), ("requests", requests)):
        for name, quantity in amounts.items():
            if name_fault is not _name_fault or not _is_right(name, quantity):
                _amount(key, name, quantity, visit, name_fault(name))
    for name, quantity in requests.items():
        _against_limit(name, quantity, limits, visit)
    _need_company(limits.keys() | requests.keys(), visit)


def _need_company(names: Set[str], visit: Visit) -> None:
    if any(name.startswith(HUGE_PAGES) for name in names) and names.isdisjoint(_POD_LEVEL):
        visit.refuse("huge pages need cpu or memory beside them; add one")


@lru_cache(4096)
def _is_right(name: str, quantity: str | int) -> bool:
    """Whether a container may have so much of the resource."""
    return not _fault(name, quantity)


def _amount(key: str, name: str, quantity: str | int, visit: Visit, wrong: str) -> None:
    what, number = f"{key}.{name}", amount(quantity)
    if wrong:
        visit.refuse(f"resource {quoted(name)} {wrong}", key, name, on="key")
    if number < _ZERO:
        visit.refuse(f"{what} {quoted(quantity)} must be 0 or more", key, name)
    if not is_native(name) and not _is_whole(quantity):
        message = f"{what} {quoted(quantity)} is no whole number; devices cannot be divided, use a whole number"
        visit.refuse(message, key, name, rule=EXTENDED_RESOURCE_FRACTIONAL)
    if name.startswith(HUGE_PAGES) and not _fits_pages(name, number):
        visit.refuse(f"{what} {quoted(quantity)} must be a multiple of the size of a page", key, name)


@lru_cache(1024)
def _is_whole(text: str | int) -> bool:
    number = amount(text)
    whole = number.value()
    # Upstream counts in thousandths, which a power of two that is large enough overflows.
    fits = number.notation != "BinarySI" or as_int64(whole * 1000) % 1000 == 0
    return fits and Quantity.parse(whole) == number


def _fits_pages(name: str, number: Quantity) -> bool:
    try:
        page = Quantity.parse(name.removeprefix(HUGE_PAGES))
    except QuantityError:
        return False
    return page > _ZERO and Quantity.parse(page.value()) == page and number.value() % page.value() == 0


def _against_limit(name: str, quantity: str | int, limits: Mapping[str, Any], visit: Visit) -> None:
    limit = limits.get(name)
    if limit == quantity:
        return
    same = _must_equal_limit(name)
    if limit is None:
        if same:
            message = f"{name} is requested without a limit; add limits.{name}: {quantity}"
            at = ("requests", name)
            visit.refuse(message, "limits", rule=EXTENDED_RESOURCE_LIMIT_MISSING, shown=at, on="key")
        return
    wanted, most = amount(quantity), amount(limit)
    if same and wanted != most:
        message = f"requests.{name} {quoted(quantity)} must be the limit, which is {quoted(limit)}"
        visit.refuse(message, "requests", rule=EXTENDED_RESOURCE_MISMATCH, shown=("requests", name), on="key")
    elif wanted > most:
        message = f"requests.{name} {quoted(quantity)} exceeds the limit {quoted(limit)}; lower it or raise the limit"
        visit.refuse(message, "requests", rule=REQUEST_EXCEEDS_LIMIT, shown=("requests", name), on="key")


def _claims(value: list[Mapping[str, Any]], visit: Visit) -> None:
    taken: set[str] = set()
    for index, claim in enumerate(value):
        name, request = claim.get("name") or "", claim.get("request") or ""
        if not name:
            visit.refuse("the claim has no name; name one of the Pod's resourceClaims", index)
            continue
        if request and name not in taken and (wrong := dns_1123_label(request)):
            visit.refuse(f"request {quoted(request)} {wrong}", index, "request")
        key = f"{name}/{request}" if request else name
        if name in taken or key in taken or (not request and any(one.startswith(f"{name}/") for one in taken)):
            visit.refuse(f"claim {quoted(key)} is used twice; keep one", index)
        if name not in taken:
            taken.add(key)
        if name not in visit.pod.claims:
            there = listed(map(quoted, sorted(visit.pod.claims))) if visit.pod.claims else "none"
            visit.refuse(f"there is no claim {quoted(name)} in resourceClaims ({there}); add it", index)


def pod_resources(value: Mapping[str, Any], visit: Visit) -> None:
    """What is stated for a Pod as a whole, beside what its containers state."""
    spec = visit.pod.spec
    if value.get("claims") is not None:
        visit.refuse("a Pod as a whole has no claims; state them in its containers", "claims", on="key")
        visit.enter("claims", value["claims"], _claims)
    _requirements(value, visit, _pod_name_fault)
    _cover_containers(value, spec, visit)


def _cover_containers(value: Mapping[str, Any], spec: Mapping[str, Any], visit: Visit) -> None:
    limits, requests = value.get("limits") or {}, value.get("requests") or {}
    for name, wanted in _together(spec, "requests").items():
        if name in requests and wanted > amount(requests[name]):
            message = f"requests.{name} {quoted(requests[name])} is less than the containers' {wanted}; raise it"
            visit.refuse(message, "requests", name)
    for name, wanted in _together(spec, "limits").items():
        if name.startswith(HUGE_PAGES) and name in limits and wanted > amount(limits[name]):
            message = f"limits.{name} {quoted(limits[name])} is less than the containers' {wanted}; raise it"
            visit.refuse(message, "limits", name)
    for index, container in enumerate(spec.get("containers") or ()):
        for name, limit in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in limits and amount(limit) > amount(limits[name]):
                message = (
                    f"{name} {quoted(limit)} exceeds the Pod's limit {quoted(limits[name])}; lower it or raise that"
                )
                _refuse_container_limit(message, index, name, visit)


def _refuse_container_limit(message: str, index: int, name: str, visit: Visit) -> None:
    last = visit.trail.pop()
    visit.refuse(message, "containers", index, "resources", "limits", name)
    visit.trail.append(last)


def _together(spec: Mapping[str, Any], key: str) -> dict[str, Quantity]:
    """What all containers of a Pod request, or are limited to, at one time."""
    from kubectl_trainjob.kube.facts.pod_requests import pod_requests

    def as_requests(containers: Any) -> list[dict[str, Any]]:
        return [{**one, "resources": {"requests": (one.get("resources") or {}).get(key)}} for one in containers or ()]

    return pod_requests({kind: as_requests(spec.get(kind)) for kind in ("containers", "initContainers")})


def overhead(value: Mapping[str, Any], visit: Visit) -> None:
    """What a Pod costs beside its containers; judged as limits of a container."""
    for name, quantity in value.items():
        if wrong := _fault(name, quantity):
            visit.refuse(f"overhead.{name} {quoted(quantity)} {wrong}", name)
    _need_company(value.keys(), visit)


def _fault(name: str, quantity: str | int) -> str:
    number = amount(quantity)
    if wrong := _name_fault(name):
        return wrong
    if number < _ZERO:
        return "must be 0 or more"
    if not is_native(name) and not _is_whole(quantity):
        return "must be a whole number"
    if name.startswith(HUGE_PAGES) and not _fits_pages(name, number):
        return "must be a multiple of the size of a page"
    return ""
