"""Names of files: found by people, one file each on every file system, the same whatever else is built."""

from __future__ import annotations

import ntpath
import re
from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.model.stages import ObjectId
from kubectl_trainjob.repository.output.layout import LONGEST, layout

RBAC = "rbac.authorization.k8s.io/v1"


def an(api_version: str, kind: str, name: str, namespace: str = "") -> ObjectId:
    return ObjectId(api_version, kind, namespace, name)


def path(api_version: str, kind: str, name: str, namespace: str = "") -> str:
    [only] = layout([an(api_version, kind, name, namespace)])
    return only


def is_reserved(name: str) -> bool:
    """Whether Windows keeps a name for a device or cannot store it, as Python says."""
    judge = getattr(ntpath, "isreserved", None) or (lambda name: PureWindowsPath(name).is_reserved())
    return judge(name)


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        pytest.param(("jobset.x-k8s.io/v1alpha2", "JobSet", "bert"), "jobset_bert.yaml", id="no namespace"),
        pytest.param(
            ("jobset.x-k8s.io/v1alpha2", "JobSet", "bert", "team-a"), "namespaces/team-a/jobset_bert.yaml", id="one"
        ),
        pytest.param(("scheduling.x-k8s.io/v1alpha1", "PodGroup", "bert"), "podgroup_bert.yaml", id="PodGroup"),
        pytest.param(
            ("scheduling.volcano.sh/v1beta1", "PodGroup", "bert"),
            "podgroup.scheduling.volcano.sh_bert.yaml",
            id="another PodGroup",
        ),
        pytest.param(("v1", "ConfigMap", "a.b-c"), "configmap_a.b-c.yaml", id="core group"),
        pytest.param(("apps/v1", "Deployment", "web"), "deployment.apps_web.yaml", id="another group"),
        pytest.param(("trainer.kubeflow.org/v1alpha1", "TrainJob", "bert"), "trainjob_bert.yaml", id="TrainJob"),
    ],
)
def test_a_person_finds_it(identity: tuple[str, ...], expected: str) -> None:
    assert path(*identity) == expected


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        pytest.param(
            (RBAC, "ClusterRole", "system:node"),
            r"clusterrole-rbac-authorization-k8s-io_system-node_\w{12}\.yaml",
            id="colon",
        ),
        pytest.param(("v1", "ConfigMap", "Große Namen%20"), r"configmap_gro-e-namen-20_\w{12}\.yaml", id="upper case"),
        pytest.param(("v1", "ConfigMap", "../../x", "../.."), r"namespaces/_\w{12}/configmap_x_\w{12}\.yaml", id="up"),
        pytest.param(("v1", "ConfigMap", "a", "con"), r"namespaces/con_\w{12}/configmap_a\.yaml", id="device"),
        pytest.param(("example.com/v1", "Aux", "a"), r"aux-example-com_a_\w{12}\.yaml", id="device in front of a dot"),
        pytest.param(("v1", "JobSet", "a"), r"jobset_a_\w{12}\.yaml", id="a known kind of the core group"),
        pytest.param(("v1", "ConfigMap", "日本"), r"configmap__\w{12}\.yaml", id="nothing left"),
        pytest.param(("v1", "ConfigMap", "x" * 253), rf"configmap_{'x' * 100}_\w{{12}}\.yaml", id="long"),
        pytest.param(("v1", "ConfigMap", "a\n"), r"configmap_a_\w{12}\.yaml", id="line end"),
    ],
)
def test_what_no_file_can_be_called_is_written_as_near_as_possible(identity: tuple[str, ...], expected: str) -> None:
    assert re.fullmatch(expected, path(*identity), re.ASCII)


def test_the_longest_names() -> None:
    longest = "x" * (LONGEST - len("configmap_.yaml"))
    assert path("v1", "ConfigMap", longest) == f"configmap_{longest}.yaml"
    assert re.fullmatch(r"configmap_x{100}_\w{12}\.yaml", path("v1", "ConfigMap", longest + "x"))
    assert path("v1", "ConfigMap", "a", "n" * 63) == f"namespaces/{'n' * 63}/configmap_a.yaml"


def test_kinds_that_differ_in_case_alone() -> None:
    twins = [an("example.com/v1", kind, "a") for kind in ("Foo", "FOO", "Bar")]
    foo, other, bar = layout(twins)
    assert foo != other
    assert bar == "bar.example.com_a.yaml"
    assert all(re.fullmatch(r"foo-example-com_a_\w{12}\.yaml", name) for name in (foo, other))
    assert layout(twins[::-1]) == [bar, other, foo]


def test_the_same_object_twice() -> None:
    with pytest.raises(ValueError, match="duplicate"):
        layout([an("v1", "ConfigMap", "a"), an("v1", "ConfigMap", "a")])


def test_a_version_is_no_part_of_a_name() -> None:
    assert path("example.com/v1", "Foo", "a") == path("example.com/v2beta1", "Foo", "a")


def test_needed_first_stands_first() -> None:
    """In the order in which `kubectl apply -R -f` walks a directory: entry by entry, by name."""
    objects = [
        an("v1", "Namespace", "zoo"),
        an("v1", "Namespace", "0"),
        an("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "r"),
        an("apiextensions.k8s.io/v1", "CustomResourceDefinition", "foos.example.com"),
        an("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "z", "zoo"),
        an("trainer.kubeflow.org/v1alpha1", "TrainJob", "a", "zoo"),
        an("v1", "ConfigMap", "a", "0"),
    ]
    walked = sorted(zip(layout(objects), objects, strict=True), key=lambda entry: entry[0].split("/"))
    assert [(identity.kind, identity.name) for _, identity in walked] == [
        ("ClusterTrainingRuntime", "r"),
        ("CustomResourceDefinition", "foos.example.com"),
        ("Namespace", "0"),
        ("Namespace", "zoo"),
        ("ConfigMap", "a"),
        ("TrainingRuntime", "z"),
        ("TrainJob", "a"),
    ]


# Few letters, so that names come near each other; and whatever else a file may hold.
_CLOSE = st.text("aAbB_-.:/~%1", max_size=4)
_NAMES = st.one_of(
    _CLOSE, st.text(max_size=5), st.sampled_from(["con", "nul.x", "com1", "a" * 300, "..", ".", "İ", "ı"])
)
_GROUPS = st.one_of(st.sampled_from(["v1", "apps/v1", "jobset.x-k8s.io/v1", "x.io/v1"]), _CLOSE.map("{}/v1".format))
_KINDS = st.one_of(st.sampled_from(["JobSet", "Jobset", "Con", "ConfigMap", "TrainJob"]), _NAMES)
_OBJECTS = st.lists(
    st.builds(ObjectId, _GROUPS, _KINDS, _NAMES, _NAMES),
    max_size=30,
    unique_by=lambda o: (o.api_version.rpartition("/")[0], o.kind, o.namespace, o.name),
)


@given(_OBJECTS)
def test_one_file_each_on_every_file_system(objects: list[ObjectId]) -> None:
    paths = layout(objects)
    assert len({path.casefold() for path in paths}) == len(objects)
    folders = {folder for path in paths for folder in (path.rpartition("/")[0],) if folder}
    assert not folders & set(paths)
    for part in {part for path in paths for part in path.split("/")}:
        assert re.fullmatch(r"[a-z0-9_][a-z0-9._-]*", part)
        assert len(part) <= LONGEST
        assert not part.endswith(".")
        assert not is_reserved(part)
    assert all(path.endswith(".yaml") for path in paths)


@given(_OBJECTS, st.data())
def test_a_path_stays_when_other_objects_come_and_go(objects: list[ObjectId], data: st.DataObject) -> None:
    kinds = {o.kind.lower(): o.kind for o in objects}
    objects = [o for o in objects if kinds[o.kind.lower()] == o.kind]
    some = data.draw(st.permutations(objects).map(lambda every: every[: len(every) // 2]))
    paths = dict(zip(objects, layout(objects), strict=True))
    assert layout(some) == [paths[o] for o in some]


def test_objects_with_generated_names_have_a_file_each() -> None:
    assert len(set(layout([ObjectId("v1", "Pod", "", "")] * 3))) == 3
