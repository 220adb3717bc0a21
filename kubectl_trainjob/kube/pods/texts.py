"""Texts with a form, each by what is wrong with it: the end of a sentence ("must be …"), "" when nothing is.

Mirrors k8s.io/apimachinery/pkg/util/validation and pkg/api/validate/content, and the path checks of
k8s.io/kubernetes/pkg/apis/core/validation; what more than Pods needs stands in `api.validation`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kubectl_trainjob.kube.facts.validation import (
    LABEL_LENGTH,
    SUBDOMAIN_LENGTH,
    dns_1123_label,
    dns_1123_subdomain,
    qualified_name,
)

_PORT_NAME_LENGTH = 15
_PORT_NAME = re.compile(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_HEADER_NAME = re.compile(r"[-A-Za-z0-9]+")
_UNDERSCORE_LABEL = r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH_DOMAIN = re.compile(rf"{_UNDERSCORE_LABEL}(\.{_UNDERSCORE_LABEL})*")
_DECIMAL = re.compile(r"-?[1-9][0-9]*|0")


# Names repeat: of a runtime's containers and volumes in every job of it.
label = lru_cache(4096)(dns_1123_label)
"""A lower case RFC 1123 label."""
subdomain = lru_cache(4096)(dns_1123_subdomain)
"""A lower case RFC 1123 subdomain."""


def port_name(value: str) -> str:
    """The name of a port, which probes may call it by."""
    if len(value.encode()) > _PORT_NAME_LENGTH:
        return f"must be no more than {_PORT_NAME_LENGTH} characters"
    if _PORT_NAME.fullmatch(value):
        return ""
    return "must consist of lower case letters, digits and single '-' between them, with at least one letter"


def env_name(value: str) -> str:
    """The name of an environment variable, or the beginning of one."""
    # isidentifier: what nearly every name is, in one call.
    if value.isascii() and (value.isidentifier() or ("=" not in value and value.isprintable())):
        return ""
    return "must consist of printable ASCII characters other than '='"


def config_key(value: str) -> str:
    """A key of a ConfigMap or Secret."""
    if len(value.encode()) > SUBDOMAIN_LENGTH:
        return f"must be no more than {SUBDOMAIN_LENGTH} characters"
    if not _CONFIG_KEY.fullmatch(value):
        return "must consist of letters, digits, '-', '_' and '.'"
    return "must not be '.' and not start with '..'" if value == "." or value.startswith("..") else ""


def header_name(value: str) -> str:
    """The name of an HTTP header."""
    return "" if _HEADER_NAME.fullmatch(value) else "must consist of letters, digits and '-'"


def ip_address(value: str) -> str:
    """An IP address without leading zeros, zone or an IPv4 address inside of IPv6."""
    from ipaddress import IPv6Address
    from ipaddress import ip_address as parse

    fault = "must be an IP address such as 10.9.8.7 or 2001:db8::1"
    if "%" in value:
        return fault
    try:
        address = parse(value)
    except ValueError:
        return fault
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return "must not be an IPv4 address written as IPv6"
    return ""


def search_domain(value: str) -> str:
    """A domain in which DNS searches."""
    domain = value.removesuffix(".")
    if value == "." or (len(domain.encode()) <= SUBDOMAIN_LENGTH and _SEARCH_DOMAIN.fullmatch(domain)):
        return ""
    return "must be a DNS domain of lower case letters, digits, '_', '-' and '.'"


def no_backsteps(value: str) -> str:
    """A path that does not lead up."""
    return "must not contain '..'" if ".." in value.split("/") else ""


def relative_path(value: str) -> str:
    """A path that leads down from where it starts."""
    return "must be a relative path" if value.startswith("/") else no_backsteps(value)


def unreserved_path(value: str) -> str:
    """A relative path whose first name does not start with two dots."""
    return relative_path(value) or ("must not start with '..'" if value.startswith("..") else "")


def absolute_path(value: str) -> str:
    """A path from the root."""
    return "" if value.startswith("/") else "must be an absolute path"


@lru_cache(4096)
def annotation_key(value: str) -> str:
    """A key of an annotation, in which upper and lower case are one."""
    return qualified_name(value.lower())


def decimal_integer(value: str) -> str:
    """A whole number of 64 bits, as people write it."""
    if _DECIMAL.fullmatch(value) and -(2**63) <= int(value) < 2**63:
        return ""
    return "must be a whole number without leading zeros"


def driver_name(value: str) -> str:
    """The name of a CSI driver."""
    if len(value.encode()) > LABEL_LENGTH:
        return f"must be no more than {LABEL_LENGTH} characters"
    return dns_1123_subdomain(value.lower())
