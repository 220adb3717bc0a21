"""The elements of xUnit's junit-10.xsd: what each may hold, and its attributes (with * those that it must have)."""

from __future__ import annotations

from xml.etree.ElementTree import Element

_OUTCOMES = "skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err"
_SUITE = (
    "name* tests* failures* errors* group time skipped timestamp hostname id package file log url",
    "testsuite properties testcase system-out system-err",
)
_SHAPE = {
    "testsuites": ("name time tests failures errors", "testsuite"),
    "testsuite": _SUITE,
    "testcase": ("name* time classname group", _OUTCOMES),
    "failure": ("type message", ""),
    "skipped": ("type message", ""),
    "system-out": ("", ""),
}


def problems(element: Element) -> list[str]:
    """What the schema has against an element and those in it."""
    attributes, children = (words.split() for words in _SHAPE[element.tag])
    known = {each.rstrip("*") for each in attributes}
    found = [
        f"{element.tag} has no {each}" for each in attributes if each[-1] == "*" and each[:-1] not in element.attrib
    ]
    found += [f"{element.tag} knows no {each}" for each in element.attrib if each not in known]
    found += [f"{element.tag} holds a {child.tag}" for child in element if child.tag not in children]
    return found + [problem for child in element if child.tag in _SHAPE for problem in problems(child)]
