"""What Kubernetes calls a name, a label and a path.

Mirrors k8s.io/apimachinery/pkg/util/validation and pkg/api/validate/content. Each function returns what is wrong with
the text as the end of a sentence ("must be …"), or "" when nothing is.
"""

from __future__ import annotations

import re

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_DNS_1035_LABEL = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"


def dns_1123_label(text: str) -> str:
    """A lower case RFC 1123 label: namespaces, container and volume names."""
    if len(text.encode()) > LABEL_LENGTH:
        return f"must be no more than {LABEL_LENGTH} characters"
    if re.fullmatch(_LABEL, text):
        return ""
    return "must consist of lower case letters, digits and '-', and start and end with a letter or digit"


def dns_1123_subdomain(text: str) -> str:
    """A lower case RFC 1123 subdomain: the names of most objects."""
    if len(text.encode()) > SUBDOMAIN_LENGTH:
        return f"must be no more than {SUBDOMAIN_LENGTH} characters"
    if re.fullmatch(_SUBDOMAIN, text):
        return ""
    return "must consist of lower case letters, digits, '-' and '.', and start and end with a letter or digit"


def dns_1035_label(text: str) -> str:
    """A RFC 1035 label: Services, and whatever JobSet derives host names from."""
    if len(text.encode()) > LABEL_LENGTH:
        return f"must be no more than {LABEL_LENGTH} characters"
    if re.fullmatch(_DNS_1035_LABEL, text):
        return ""
    return "must consist of lower case letters, digits and '-', start with a letter and end with a letter or digit"


def qualified_name(text: str) -> str:
    """A label or annotation key: a name, or a DNS subdomain, '/' and a name."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return "must have at most one '/'"
    if slash and dns_1123_subdomain(prefix):
        return f"must have a DNS subdomain before the '/'; it {dns_1123_subdomain(prefix)}"
    if len(name.encode()) > LABEL_LENGTH:
        return f"must have a name of no more than {LABEL_LENGTH} characters"
    if re.fullmatch(_LABEL_NAME, name):
        return ""
    return "must have a name of letters, digits, '-', '_' and '.' that starts and ends with a letter or digit"


def label_value(text: str) -> str:
    """The value of a label."""
    if len(text.encode()) > LABEL_LENGTH:
        return f"must be no more than {LABEL_LENGTH} characters"
    if not text or re.fullmatch(_LABEL_NAME, text):
        return ""
    return "must be empty or consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"


def domain_prefixed_path(text: str) -> str:
    """A controller's name such as `acme.io/launcher`."""
    host, _, path = text.partition("/")
    if not host or not path:
        return 'must be a domain and a path, such as "acme.io/launcher"'
    if dns_1123_subdomain(host):
        return f"must have a DNS subdomain before the '/'; it {dns_1123_subdomain(host)}"
    return (
        ""
        if re.fullmatch(_HTTP_PATH, path)
        else "must have a path of letters, digits and URL punctuation behind the '/'"
    )
