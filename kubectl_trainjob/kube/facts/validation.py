"""The forms of names, labels, paths and other texts in Kubernetes.

Mirrors k8s.io/apimachinery/pkg/util/validation and pkg/api/validate/content, and the path checks of
k8s.io/kubernetes/pkg/apis/core/validation. Each function returns the error of a text as the end of a sentence ("must be
…"). It is empty if the text is valid.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kubectl_trainjob.model.message import Message, say

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253
_PORT_NAME_LENGTH = 15
_VALID = Message()

# Patterns are compiled when they are used first, because most runs use few of them.
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_DNS_1035_LABEL = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_PORT_NAME = r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*"
_CONFIG_KEY = r"[-._a-zA-Z0-9]+"
_HEADER_NAME = r"[-A-Za-z0-9]+"
_UNDERSCORE_LABEL = r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH_DOMAIN = rf"{_UNDERSCORE_LABEL}(\.{_UNDERSCORE_LABEL})*"
_DECIMAL = r"-?[1-9][0-9]*|0"

_LOWER_CASE = "must consist of lower case letters, digits and '-', and start and end with a letter or digit"
_LOWER_CASE_AND_DOTS = (
    "must consist of lower case letters, digits, '-' and '.', and start and end with a letter or digit"
)
_LETTER_FIRST = "must consist of lower case letters, digits and '-', start with a letter and end with a letter or digit"
_NAME_OF_KEY = "must have a name of letters, digits, '-', '_' and '.' that starts and ends with a letter or digit"
_LABEL_VALUE = "must be empty or consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"
_PORT = "must consist of lower case letters, digits and single '-' between them, with at least one letter"


def too_long(text: str, most: int) -> Message:
    """A text of more bytes than allowed."""
    return (
        say("must be no more than {} characters", most) if len(text.encode(errors="surrogatepass")) > most else _VALID
    )


def placeholder(text: str) -> Message:
    """An error if a placeholder is in the text, such as `$NAME`. Kubernetes itself fills in `$(NAME)`."""
    tool = "helm template" if "{{" in text else "envsubst" if "$" in text and "$(" not in text else ""
    return say("is a placeholder; fill it in first, for example with {}", tool) if tool else _VALID


# Names repeat: those of a runtime's containers and volumes in each of its jobs.
@lru_cache(4096)
def dns_1123_label(text: str) -> Message:
    """A lower case RFC 1123 label: namespaces, container and volume names."""
    invalid = _VALID if re.fullmatch(_LABEL, text) else placeholder(text) or say(_LOWER_CASE)
    return too_long(text, LABEL_LENGTH) or invalid


@lru_cache(4096)
def dns_1123_subdomain(text: str) -> Message:
    """A lower case RFC 1123 subdomain: the names of most objects."""
    invalid = _VALID if re.fullmatch(_SUBDOMAIN, text) else placeholder(text) or say(_LOWER_CASE_AND_DOTS)
    return too_long(text, SUBDOMAIN_LENGTH) or invalid


def dns_1035_label(text: str) -> Message:
    """An RFC 1035 label: Services, and the names that JobSet derives host names from."""
    return too_long(text, LABEL_LENGTH) or (_VALID if re.fullmatch(_DNS_1035_LABEL, text) else say(_LETTER_FIRST))


def qualified_name(text: str) -> Message:
    """A label or annotation key: a name, or a DNS subdomain, '/' and a name."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return say("must have at most one '/'")
    if slash and (error := dns_1123_subdomain(prefix)):
        return say("must have a DNS subdomain before the '/'; it {}", error)
    if len(name.encode(errors="surrogatepass")) > LABEL_LENGTH:
        return say("must have a name of no more than {} characters", LABEL_LENGTH)
    return _VALID if re.fullmatch(_LABEL_NAME, name) else say(_NAME_OF_KEY)


@lru_cache(4096)
def annotation_key(text: str) -> Message:
    """A key of an annotation, which ignores upper and lower case."""
    return qualified_name(text.lower())


def label_value(text: str) -> Message:
    """The value of a label."""
    is_valid = not text or re.fullmatch(_LABEL_NAME, text)
    return too_long(text, LABEL_LENGTH) or (_VALID if is_valid else say(_LABEL_VALUE))


def domain_prefixed_path(text: str) -> Message:
    """A controller's name such as `acme.io/launcher`."""
    host, _, path = text.partition("/")
    if not host or not path:
        return say('must be a domain and a path, such as "acme.io/launcher"')
    if error := dns_1123_subdomain(host):
        return say("must have a DNS subdomain before the '/'; it {}", error)
    if re.fullmatch(_HTTP_PATH, path):
        return _VALID
    return say("must have a path of letters, digits and URL punctuation after the '/'")


def port_name(text: str) -> Message:
    """The name of a port, which probes can use."""
    return too_long(text, _PORT_NAME_LENGTH) or (_VALID if re.fullmatch(_PORT_NAME, text) else say(_PORT))


def env_name(text: str) -> Message:
    """The name of an environment variable, or its prefix."""
    # isidentifier: what nearly every name is, in one call.
    if text.isascii() and (text.isidentifier() or ("=" not in text and text.isprintable())):
        return _VALID
    return say("must consist of printable ASCII characters other than '='")


def config_key(text: str) -> Message:
    """A key of a ConfigMap or Secret."""
    if error := too_long(text, SUBDOMAIN_LENGTH):
        return error
    if not re.fullmatch(_CONFIG_KEY, text):
        return say("must consist of letters, digits, '-', '_' and '.'")
    return say("must not be '.' and not start with '..'") if text == "." or text.startswith("..") else _VALID


def header_name(text: str) -> Message:
    """The name of an HTTP header."""
    return _VALID if re.fullmatch(_HEADER_NAME, text) else say("must consist of letters, digits and '-'")


def ip_address(text: str) -> Message:
    """An IP address without leading zeros or a zone, and not an IPv4 address inside IPv6."""
    from ipaddress import IPv6Address
    from ipaddress import ip_address as parse

    try:
        address = None if "%" in text else parse(text)
    except ValueError:
        address = None
    if address is None:
        return say("must be an IP address such as 10.9.8.7 or 2001:db8::1")
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return say("must not be an IPv4 address written as IPv6")
    return _VALID


def search_domain(text: str) -> Message:
    """A search domain of DNS."""
    domain = text.removesuffix(".")
    if text == "." or (len(domain.encode()) <= SUBDOMAIN_LENGTH and re.fullmatch(_SEARCH_DOMAIN, domain)):
        return _VALID
    return say("must be a DNS domain of lower case letters, digits, '_', '-' and '.'")


def no_backsteps(text: str) -> Message:
    """A path that does not lead up."""
    return say("must not contain '..'") if ".." in text.split("/") else _VALID


def relative_path(text: str) -> Message:
    """A path that leads down from where it starts."""
    return say("must be a relative path") if text.startswith("/") else no_backsteps(text)


def unreserved_path(text: str) -> Message:
    """A relative path whose first name does not start with two dots."""
    return relative_path(text) or (say("must not start with '..'") if text.startswith("..") else _VALID)


def absolute_path(text: str) -> Message:
    """A path from the root."""
    return _VALID if text.startswith("/") else say("must be an absolute path")


def decimal_integer(text: str) -> Message:
    """An integer of 64 bits without leading zeros."""
    if re.fullmatch(_DECIMAL, text) and -(2**63) <= int(text) < 2**63:
        return _VALID
    return say("must be an integer without leading zeros")


def driver_name(text: str) -> Message:
    """The name of a CSI driver."""
    return too_long(text, LABEL_LENGTH) or dns_1123_subdomain(text.lower())
