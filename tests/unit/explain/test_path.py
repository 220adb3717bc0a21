"""Paths to pointers and back, judged by kubectl's JSONPath, the library jsonpointer, and each other."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.explain.path import PathError, resolve, show
from kubectl_trainjob.model.source import Pointer, value_at
from tests.tools import require

CONTAINERS = [
    {
        "name": "node",
        "env": [{"name": "A", "value": "1"}, {"name": "PET_NNODES", "value": "2"}, {"name": "A", "value": "3"}],
        "args": ["x", "y"],
        "ports": [
            {"containerPort": 53},
            {"containerPort": 53, "protocol": "UDP"},
            {"containerPort": 8080, "name": "http"},
            {"name": "no port"},
        ],
        "volumeMounts": [{"name": "v", "mountPath": "/dev/shm"}, {"name": "v", "mountPath": "/data"}],
        "resources": {"limits": {"nvidia.com/gpu": 4, "cpu": 8}},
    },
    {"name": "0", "image": "i", "command": []},
]
JOB_SET = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {
        "name": "a",
        "labels": {"kueue.x-k8s.io/queue-name": "q", "a.b.c": "x", "a.b": "y", "plain": "p"},
        "annotations": {"it's": "1", 'a"]b': "2", "": "3", "/x": "4", "a\nb": "5", "~": "6", "$": "7", "a": "8"},
    },
    "spec": {
        "suspend": False,
        "ttl": None,
        "empty": {},
        "replicatedJobs": [
            {
                "name": "node",
                "replicas": 2,
                "template": {
                    "spec": {
                        "template": {
                            "spec": {
                                "containers": CONTAINERS,
                                "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["h"]}],
                                "topologySpreadConstraints": [
                                    {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
                                    {"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"},
                                ],
                            }
                        }
                    }
                },
            }
        ],
    },
}
POD: Pointer = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec")
NODE: Pointer = (*POD, "containers", 0)
JOBS = "spec.replicatedJobs"
SHOWN_POD = f"{JOBS}[node].template.spec.template.spec"
SHOWN_NODE = f"{SHOWN_POD}.containers[node]"
LABELS: Pointer = ("metadata", "labels")
NOTES: Pointer = ("metadata", "annotations")


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        pytest.param(f"{SHOWN_NODE}.env[PET_NNODES].value", (*NODE, "env", 1, "value"), id="keys"),
        pytest.param("metadata.labels[kueue.x-k8s.io/queue-name]", (*LABELS, "kueue.x-k8s.io/queue-name"), id="label"),
        pytest.param(
            f"{SHOWN_NODE}.resources.limits[nvidia.com/gpu]",
            (*NODE, "resources", "limits", "nvidia.com/gpu"),
            id="limit",
        ),
        pytest.param(f"{SHOWN_NODE}.args[1]", (*NODE, "args", 1), id="index"),
        pytest.param(f"{SHOWN_POD}.containers[0]", (*POD, "containers", 1), id="a key that looks like an index"),
        pytest.param(f"{SHOWN_NODE}.env[0]", (*NODE, "env", 0), id="members of one key"),
        pytest.param(f"{SHOWN_NODE}.ports[8080]", (*NODE, "ports", 2), id="port"),
        pytest.param(f"{SHOWN_NODE}.ports[53/TCP]", (*NODE, "ports", 0), id="port and default protocol"),
        pytest.param(f"{SHOWN_NODE}.ports[53/UDP]", (*NODE, "ports", 1), id="port and protocol"),
        pytest.param(f"{SHOWN_NODE}.ports[3]", (*NODE, "ports", 3), id="no key"),
        pytest.param(f"{SHOWN_NODE}.volumeMounts[/dev/shm]", (*NODE, "volumeMounts", 0), id="mount path"),
        pytest.param(
            f"{SHOWN_POD}.hostAliases[10.0.0.1].hostnames[0]", (*POD, "hostAliases", 0, "hostnames", 0), id="ip"
        ),
        pytest.param(
            f"{SHOWN_POD}.topologySpreadConstraints[zone/ScheduleAnyway]",
            (*POD, "topologySpreadConstraints", 1),
            id="two keys",
        ),
        pytest.param("metadata.annotations[it's]", (*NOTES, "it's"), id="quote"),
        pytest.param('metadata.annotations["a\\"]b"]', (*NOTES, 'a"]b'), id="quote and bracket"),
        pytest.param('metadata.annotations[""]', (*NOTES, ""), id="empty key"),
        pytest.param("metadata.annotations[/x]", (*NOTES, "/x"), id="slash"),
        pytest.param('metadata.annotations["a\\nb"]', (*NOTES, "a\nb"), id="line end"),
        pytest.param("metadata.annotations[~]", (*NOTES, "~"), id="tilde"),
        pytest.param("metadata.annotations[$]", (*NOTES, "$"), id="dollar"),
        pytest.param("spec.ttl", ("spec", "ttl"), id="null"),
        pytest.param(".", (), id="the object"),
    ],
)
def test_paths_as_they_are_shown(path: str, pointer: Pointer) -> None:
    shown = path.replace("[it's]", '["it\'s"]')
    assert (resolve(JOB_SET, path), show(JOB_SET, pointer)) == (pointer, shown)


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param("$", (), id="dollar"),
        pytest.param("$.", (), id="dollar and dot"),
        pytest.param("{}", (), id="braces"),
        pytest.param("{.}", (), id="braces and dot"),
        pytest.param(".kind", ("kind",), id="leading dot"),
        pytest.param("$.kind", ("kind",), id="leading dollar"),
        pytest.param("$['kind']", ("kind",), id="dollar and bracket"),
        pytest.param("{.kind}", ("kind",), id="JSONPath"),
        pytest.param("{$.kind}", ("kind",), id="JSONPath with dollar"),
        pytest.param("[kind]", ("kind",), id="bracket"),
        pytest.param('.["kind"]', ("kind",), id="dot and bracket"),
        pytest.param('metadata["labels"].["plain"]', (*LABELS, "plain"), id="dot before an inner bracket"),
        pytest.param(
            r"metadata.labels.kueue\.x-k8s\.io/queue-name", (*LABELS, "kueue.x-k8s.io/queue-name"), id="escaped"
        ),
        pytest.param(
            r"metadata.labels[kueue\.x-k8s\.io/queue-name]", (*LABELS, "kueue.x-k8s.io/queue-name"), id="escaped too"
        ),
        pytest.param("metadata.labels.kueue.x-k8s.io/queue-name", (*LABELS, "kueue.x-k8s.io/queue-name"), id="dots"),
        pytest.param(
            "spec.replicatedJobs.node.replicas", ("spec", "replicatedJobs", 0, "replicas"), id="dotted member"
        ),
        pytest.param("spec.replicatedJobs.0.replicas", ("spec", "replicatedJobs", 0, "replicas"), id="dotted index"),
        pytest.param("spec.replicatedJobs['node']", ("spec", "replicatedJobs", 0), id="single quotes"),
        pytest.param(r"metadata.annotations['it\'s']", (*NOTES, "it's"), id="quote in single quotes"),
        pytest.param(r'metadata.annotations[a"\]b]', (*NOTES, 'a"]b'), id="escaped bracket"),
        pytest.param('metadata.annotations["a\nb"]', (*NOTES, "a\nb"), id="line end as it is"),
        pytest.param('metadata.annotations["\\u0061"]', (*NOTES, "a"), id="code of a character"),
        pytest.param("/metadata/annotations/~1x", (*NOTES, "/x"), id="JSON pointer"),
        pytest.param("/metadata/annotations/~0", (*NOTES, "~"), id="JSON pointer with a tilde"),
        pytest.param("/metadata/annotations/", (*NOTES, ""), id="JSON pointer with an empty key"),
        pytest.param(
            "/spec/replicatedJobs/0/name", ("spec", "replicatedJobs", 0, "name"), id="JSON pointer with an index"
        ),
        pytest.param("/" + "/".join(map(str, (*POD, "containers", 0))), NODE, id="a JSON pointer's index is no key"),
    ],
)
def test_other_spellings(path: str, pointer: Pointer) -> None:
    assert resolve(JOB_SET, path) == pointer


@pytest.mark.parametrize(
    ("path", "message"),
    [
        pytest.param(
            f"{JOBS}[node].templat",
            'spec.replicatedJobs[node] has no "templat"; did you mean "template"?',
            id="misspelt",
        ),
        pytest.param("speck", 'the object has no "speck"; did you mean "spec"?', id="misspelt at the top"),
        pytest.param(
            "spec.zzzzzz",
            'spec has no "zzzzzz"; write one of "empty", "replicatedJobs", "suspend" and "ttl"',
            id="unknown",
        ),
        pytest.param("spec.empty.x", 'spec.empty has no "x"; it is empty, so end the path there', id="empty mapping"),
        pytest.param(
            "metadata.name.x", 'metadata.name is a string and has no "x"; end the path there', id="below a text"
        ),
        pytest.param(
            "spec.suspend[0]", 'spec.suspend is a boolean and has no "0"; end the path there', id="below a boolean"
        ),
        pytest.param("spec.ttl.x", 'spec.ttl is null and has no "x"; end the path there', id="below null"),
        pytest.param(
            f"{JOBS}[node].replicas.x",
            f'{JOBS}[node].replicas is a number and has no "x"; end the path there',
            id="below a number",
        ),
        pytest.param(f"{JOBS}[nod]", f'{JOBS} has no member "nod"; did you mean "node"?', id="misspelt member"),
        pytest.param("spec.replicatedJobs[*]", f'{JOBS} has no member "*"; write [node]', id="wildcard"),
        pytest.param("spec.replicatedJobs[1]", f'{JOBS} has no member "1"; write the index 0', id="behind one member"),
        pytest.param(
            "spec.replicatedJobs['0']", f'{JOBS} has no member "0"; write [node]', id="an index in quotes is a key"
        ),
        pytest.param(
            f"{SHOWN_NODE}.args[2]",
            f'{SHOWN_NODE}.args has no member "2"; write an index from 0 to 1',
            id="behind the last",
        ),
        pytest.param(
            f"{SHOWN_NODE}.args[x]", f'{SHOWN_NODE}.args has no member "x"; write an index from 0 to 1', id="no keys"
        ),
        pytest.param(
            f"{SHOWN_NODE}.args[-1]",
            f'{SHOWN_NODE}.args has no member "-1"; write an index from 0 to 1',
            id="from the end",
        ),
        pytest.param(
            f"{SHOWN_NODE}.args[00]", f'{SHOWN_NODE}.args has no member "00"; write an index from 0 to 1', id="zeros"
        ),
        pytest.param(
            f'{SHOWN_POD}.containers["0"].command[0]',
            f'{SHOWN_POD}.containers[0].command has no member "0"; it is empty, so end the path there',
            id="empty list",
        ),
        pytest.param(
            f"{SHOWN_NODE}.env[A]",
            f'{SHOWN_NODE}.env has "A" at 0 and 2; write one of [0] and [2]',
            id="several members",
        ),
        pytest.param(
            f"{SHOWN_NODE}.ports[53]",
            f'{SHOWN_NODE}.ports has "53" at 0 and 1; write one of [53/TCP] and [53/UDP]',
            id="part of a key",
        ),
        pytest.param(
            "/spec/replicatedJobs/node", f'{JOBS} has no member "node"; write the index 0', id="JSON pointer with a key"
        ),
        pytest.param(
            "/spec/replicatedJobs/-", f'{JOBS} has no member "-"; write the index 0', id="JSON pointer behind the last"
        ),
    ],
)
def test_paths_that_lead_nowhere(path: str, message: str) -> None:
    with pytest.raises(PathError) as raised:
        resolve(JOB_SET, path)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("path", "column", "message"),
    [
        pytest.param(
            "/metadata/~2",
            11,
            'a single "~" is not valid; write ~0 for "~" and ~1 for "/"',
            id="JSON pointer's escape",
        ),
        pytest.param("spec..x", 5, "no key follows this dot; write one, or remove the dot", id="two dots"),
        pytest.param("spec.", 5, "no key follows this dot; write one, or remove the dot", id="dot at the end"),
        pytest.param("spec]", 5, 'this "]" has no "["; remove it, or write "[" where the key begins', id="only closed"),
        pytest.param("spec[x", 5, 'this "[" is not closed; write ] after the key', id="only opened"),
        pytest.param("spec.[x", 6, 'this "[" is not closed; write ] after the key', id="only opened behind a dot"),
        pytest.param("spec['x]", 5, 'this "[" is not closed; write \'] after the key', id="only opened quote"),
        pytest.param(
            "spec['x'y]",
            5,
            'no "]" follows the closing quote; write it, and a backslash before a quote inside',
            id="behind a quote",
        ),
        pytest.param("spec[]", 5, "the brackets are empty; write a key or an index", id="empty brackets"),
        pytest.param("[spec]x", 7, 'a step begins with "." or "["; write one of them here', id="behind brackets"),
        pytest.param("spec\\", 5, "no character follows this backslash; remove it", id="backslash at the end"),
        pytest.param('spec["a\\d"]', 8, "JSON strings have no such escape; write two backslashes for one", id="escape"),
        pytest.param("{.spec", 1, 'the "{" is not closed; add "}" at the end, or remove it', id="brace"),
    ],
)
def test_paths_that_cannot_be_read(path: str, column: int, message: str) -> None:
    with pytest.raises(PathError) as raised:
        resolve(JOB_SET, path)
    assert str(raised.value) == f'column {column} of "{path}": {message}'


def test_dots_that_may_mean_two_keys() -> None:
    assert resolve(JOB_SET, "metadata.labels[a.b]") == (*LABELS, "a.b")
    with pytest.raises(PathError, match=r"^metadata.labels has several keys .*; write one of \[a.b.c\] and \[a.b\]$"):
        resolve(JOB_SET, "metadata.labels.a.b.c")
    body = {"a": {"b": 1}, "a.b": 2}
    assert (resolve(body, "a.b"), resolve(body, "[a.b]")) == (("a", "b"), ("a.b",))


def test_kinds_that_are_not_known_have_members_by_name() -> None:
    body = {
        "kind": "Thing",
        "all": [{"name": "a"}, {"name": "b"}],
        "some": [{"name": "a"}, {}],
        "ports": [{"containerPort": 1}],
    }
    shown = [show(body, pointer) for pointer in (("all", 1), ("some", 0), ("ports", 0))]
    assert shown == ["all[b]", "some[0]", "ports[0]"]


def test_a_member_without_key_or_index_of_its_own_is_a_json_pointer() -> None:
    body = {"l": [{"name": "a"}, {"name": "a"}, {"name": "0"}]}
    assert [show(body, ("l", index)) for index in range(3)] == ["/l/0", "l[1]", "l[0]"]
    with pytest.raises(PathError, match=r'^l has "a" at 0 and 1; write one of /l/0 and \[1\]$'):
        resolve(body, "l[a]")


def test_what_the_object_lacks_is_shown_as_it_is() -> None:
    assert show(JOB_SET, ("spec", "network", "x.y", 3, "z")) == "spec.network[x.y][3].z"
    assert show(JOB_SET, ("spec", "replicatedJobs", 7, "name")) == "spec.replicatedJobs[7].name"


def test_messages_hold_no_values_and_are_short() -> None:
    body = {
        "k" * 5000: {"secret": "hunter2", **{f"key{i}": i for i in range(9999)}},
        "l": [{"name": "x" * 5000}] * 9999,
    }
    paths = [
        "k" * 5000 + ".secret." + "x" * 9999,
        "k" * 5000 + "." + "y" * 9999,
        "l[" + "x" * 5000 + "]",
        "l.y",
        "z" * 9999,
    ]
    for path in paths:
        with pytest.raises(PathError) as raised:
            resolve(body, path)
        assert "hunter2" not in str(raised.value)
        assert len(str(raised.value)) < 2500


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("{.spec.replicatedJobs[0].replicas}", id="index"),
        pytest.param("{$.spec.replicatedJobs[0]['name']}", id="dollar and quotes"),
        pytest.param(r"{.metadata.labels.kueue\.x-k8s\.io/queue-name}", id="escaped dots"),
        pytest.param(r"{.metadata.labels['kueue\.x-k8s\.io/queue-name']}", id="escaped dots in quotes"),
        pytest.param(r"{.spec.replicatedJobs[0].template.spec.template.spec.containers[1].image}", id="deep"),
    ],
)
def test_kubectl_means_the_same(path: str) -> None:
    command = [require("kubectl"), "label", "--local", "z=z", "-o", f"jsonpath-as-json={path}", "-f", "-"]
    # A container called "0" is ours to find by name.
    body = json.loads(json.dumps(JOB_SET).replace('"name": "0"', '"name": "side"'))
    done = subprocess.run(command, input=json.dumps(body), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [value_at(body, resolve(body, path))]


KEYS = st.one_of(
    st.sampled_from(["name", "containerPort", "a", "0", "1", "a.b", "b", "a/b", "", *"][\"'\\./", "~1"]),
    st.text(st.sampled_from("ab01.[]\"'\\/~${} \n\x00\x85\u2028\U000e0041é_-"), max_size=4),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)
NAMED = st.lists(
    st.fixed_dictionaries({"name": KEYS}, optional={"env": st.lists(st.builds(dict, name=KEYS))}), max_size=5
)
PORTS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={"containerPort": st.integers(0, 3) | KEYS, "protocol": st.sampled_from(["TCP", "UDP", "", None, 6])},
    ),
    max_size=5,
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | KEYS | NAMED,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
BODIES = st.dictionaries(KEYS, VALUES, max_size=4) | st.builds(
    lambda spec, ports: {
        "apiVersion": "v1",
        "kind": "Pod",
        "spec": {
            "containers": [{"name": "a", "ports": ports}],
            "ephemeralContainers": spec,
            **({} if spec else {"x": spec}),
        },
    },
    NAMED,
    PORTS,
)


def pointers(value: Any, pointer: Pointer = ()) -> Iterator[Pointer]:
    yield pointer
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from pointers(entry, (*pointer, key))


@given(BODIES)
def test_what_is_shown_leads_back(body: dict[str, Any]) -> None:
    for pointer in pointers(body):
        shown = show(body, pointer)
        assert resolve(body, shown) == pointer
        if shown != "." and shown[0] != "/":
            assert resolve(body, f"{{.{shown}}}") == resolve(body, f"$.{shown}") == pointer


@given(BODIES)
def test_json_pointers_mean_what_a_library_says(body: dict[str, Any]) -> None:
    for pointer in pointers(body):
        text = jsonpointer.JsonPointer.from_parts(pointer).path
        assert resolve(body, text) == pointer
        assert value_at(body, pointer) is jsonpointer.resolve_pointer(body, text)


@given(BODIES, st.text(st.sampled_from("ab0.[]\"'\\/~${}name"), max_size=12) | st.text(max_size=12))
def test_any_text_leads_somewhere_or_is_rejected(body: dict[str, Any], text: str) -> None:
    try:
        pointer = resolve(body, text)
    except PathError:
        return
    assert pointer in list(pointers(body))
    assert resolve(body, show(body, pointer)) == pointer
