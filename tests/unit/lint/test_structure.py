"""The replicatedJob that trains, and the Service that gives Pods their host names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.marked import JOB, RUNTIME, documents_of, found, joined, lines, marked

LABEL, SERVICE = "KTJ207", "KTJ710"
ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
_ON_JOB = f"            metadata:\n              labels:\n                {ANCESTOR}: trainer\n"
UNLABELLED = RUNTIME.replace(_ON_JOB, "")
_POD = "              template:\n                spec:\n"
_LABELLED_POD = f"""\
              template:
                metadata:
                  labels:
                    {ANCESTOR}: trainer # <- {LABEL}
                spec:
"""
_PLAIN = UNLABELLED.replace("  mlPolicy:\n    numNodes: 1\n", "")
_LAUNCHER = f"        - name: launcher # <- {LABEL}\n" + UNLABELLED.split("- name: node\n", 1)[1]
_WITH_TRAINER = f"{JOB}  trainer:\n    image: python:3.14-slim\n"


def _before_node(job: str) -> str:
    return UNLABELLED.replace("        - name: node\n", f"{job}        - name: node\n", 1)


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param((RUNTIME,), id="labelled"),
        pytest.param((UNLABELLED.replace("- name: node\n", f"- name: node # <- {LABEL}\n", 1),), id="no label"),
        pytest.param((UNLABELLED.replace("- name: node\n", f"- name: worker # <- {LABEL}\n", 1),), id="the first"),
        pytest.param(
            (
                _before_node(_LAUNCHER.replace(f" # <- {LABEL}", "")).replace(
                    "- name: node\n          template", f"- name: node # <- {LABEL}\n          template", 1
                ),
            ),
            id="node before the first",
        ),
        pytest.param((UNLABELLED.replace(_POD, _LABELLED_POD),), id="label on the Pod template"),
        pytest.param((RUNTIME.replace(f"{ANCESTOR}: trainer", f"{ANCESTOR}: Trainer # <- {LABEL}"),), id="misspelt"),
        pytest.param((_before_node(RUNTIME.split("replicatedJobs:\n")[1].replace("node", "first", 1)),), id="another"),
        pytest.param((_PLAIN,), id="nothing asks for training"),
        pytest.param((JOB, _PLAIN), id="a TrainJob without trainer"),
        pytest.param(
            (_WITH_TRAINER, _PLAIN.replace("- name: node\n", f"- name: node # <- {LABEL}\n", 1)),
            id="a TrainJob with trainer",
        ),
        pytest.param((_WITH_TRAINER.replace("plain", "other"), _PLAIN), id="a TrainJob of another runtime"),
    ],
)
def test_the_replicated_job_that_trains(texts: tuple[str, ...], tmp_path: Path) -> None:
    documents = documents_of(tmp_path, {"all.yaml": joined(*texts)})
    assert lines(found(documents, LABEL)) == marked(tmp_path, LABEL)


@pytest.mark.parametrize(
    ("texts", "severity"),
    [
        pytest.param((UNLABELLED,), "warning", id="nothing is ignored yet"),
        pytest.param((JOB, UNLABELLED), "warning", id="a TrainJob that sets nothing"),
        pytest.param((_WITH_TRAINER, UNLABELLED), "error", id="an image"),
        pytest.param((UNLABELLED.replace("numNodes: 1", "numNodes: 2"),), "error", id="nodes"),
        pytest.param((UNLABELLED.replace(_POD, _LABELLED_POD),), "error", id="label on the Pod template"),
    ],
)
def test_an_error_only_where_a_value_is_ignored(texts: tuple[str, ...], severity: str, tmp_path: Path) -> None:
    [diagnostic] = found(documents_of(tmp_path, {"all.yaml": joined(*texts)}), LABEL)
    assert diagnostic.severity == severity


def test_a_patch_that_takes_the_label_away(tmp_path: Path) -> None:
    operations = "[{op: remove, path: /spec/template/spec/replicatedJobs/0/template/metadata}]"
    overlay = (
        f"resources: [../base]\npatches:\n  - target: {{kind: ClusterTrainingRuntime}}\n    patch: '{operations}'\n"
    )
    files = {"base/all.yaml": RUNTIME, "prod/overlay.yaml": overlay}
    reported = found(documents_of(tmp_path, files, "prod"), LABEL)
    assert lines(reported) == [("all.yaml", RUNTIME.splitlines().index("        - name: node") + 1)]


@pytest.mark.parametrize(
    ("text", "way", "value"),
    [
        pytest.param(UNLABELLED, ("metadata",), f'{{"labels": {{"{ANCESTOR}": "trainer"}}}}', id="no metadata"),
        pytest.param(
            RUNTIME.replace(f"labels:\n                {ANCESTOR}: trainer", "labels: {a: b}"),
            ("metadata", "labels", ANCESTOR),
            '"trainer"',
            id="other labels",
        ),
    ],
)
def test_the_fix_adds_as_little_as_it_can(text: str, way: tuple[str, ...], value: str, tmp_path: Path) -> None:
    (reported,) = found(documents_of(tmp_path, {"r.yaml": text}), LABEL)
    assert reported.fix is not None
    assert not reported.fix.is_safe
    (edit,) = reported.fix.edits
    assert (edit.place.pointer[6:], edit.value) == (way, value)


def _service(name: str, more: str = "", head: str = "apiVersion: v1\nkind: Service") -> str:
    return f"{head}\nmetadata:\n  name: {name}\nspec:\n  selector: {{app: a}}\n{more}"


_MARK = f" # <- {SERVICE}"
_KNATIVE = _service("mnist", head="apiVersion: serving.knative.dev/v1\nkind: Service")
_HEADLESS = "apiVersion: v1\nkind: Service\nmetadata:\n  name: mnist\nspec:\n  clusterIP: None\n  selector:\n"


def _network(text: str) -> str:
    return RUNTIME.replace("    spec:\n      replicatedJobs", f"    spec:\n      network: {text}\n      replicatedJobs")


@pytest.mark.parametrize(
    ("service", "runtime"),
    [
        pytest.param(_service(f"mnist{_MARK}"), RUNTIME, id="named like the JobSet"),
        pytest.param(_service("mnist-2"), RUNTIME, id="another name"),
        pytest.param(_service(f"mnist{_MARK}\n  namespace: default"), RUNTIME, id="the usual namespace"),
        pytest.param(_service("mnist\n  namespace: other"), RUNTIME, id="another namespace"),
        pytest.param(_service(f"peers{_MARK}"), _network("{subdomain: peers}"), id="named like the subdomain"),
        pytest.param(
            _service("mnist"), _network("{subdomain: peers}"), id="with a subdomain the JobSet's name is free"
        ),
        pytest.param(_service("mnist"), _network("{enableDNSHostnames: false}"), id="no host names"),
        pytest.param(_KNATIVE, RUNTIME, id="Knative"),
        pytest.param(
            joined(_KNATIVE, _service(f"mnist{_MARK}"), _KNATIVE.replace("v1", "v1beta1")),
            RUNTIME,
            id="besides Knative's",
        ),
        pytest.param(f"{_HEADLESS}    jobset.sigs.k8s.io/jobset-name: mnist\n", RUNTIME, id="what JobSet would make"),
        pytest.param(
            f"{_HEADLESS}    jobset.sigs.k8s.io/jobset-name: other\n".replace("mnist", f"mnist{_MARK}"),
            RUNTIME,
            id="for another JobSet",
        ),
        pytest.param(
            f"apiVersion: v1\nkind: Service\nmetadata:\n  name: mnist{_MARK}\nspec: []\n", RUNTIME, id="no spec"
        ),
    ],
)
def test_a_service_of_the_same_name(service: str, runtime: str, tmp_path: Path) -> None:
    documents = documents_of(tmp_path, {"all.yaml": joined(service, JOB, runtime)})
    assert lines(found(documents, SERVICE)) == marked(tmp_path, SERVICE)


def test_what_takes_the_name_is_reported_too(tmp_path: Path) -> None:
    runtime = _network("{subdomain: peers}")
    documents = documents_of(tmp_path, {"s.yaml": _service("peers"), "j.yaml": JOB, "r.yaml": runtime})
    (reported,) = found(documents, SERVICE)
    assert [each.place.source.file.path.rpartition("/")[2] for each in reported.related] == ["r.yaml"]


@pytest.mark.parametrize(
    ("nodes", "most", "longest"),
    [
        pytest.param(10, 48, "-node-0-9-abcde", id="one digit"),
        pytest.param(11, 47, "-node-0-10-abcde", id="two digits"),
        pytest.param(101, 46, "-node-0-100-abcde", id="three digits"),
    ],
)
def test_a_name_that_is_too_long_is_the_one_of_the_longest_pod(
    nodes: int, most: int, longest: str, tmp_path: Path
) -> None:
    """Pods of an Indexed Job are called JOBSET-REPLICATEDJOB-REPLICA-INDEX, and five characters of chance behind that;
    Kubernetes allows 63 for a host name.
    """
    assert most + len(longest) == 63
    for length in (most, most + 1):
        job = JOB.replace("mnist", "a" * length) + f"  trainer:\n    numNodes: {nodes}\n"
        reported = found(documents_of(tmp_path / str(length), {"all.yaml": joined(job, RUNTIME)}))
        assert [each.rule.id for each in reported] == ["KTJ702"] * (length > most)
        assert all(f'"{"a" * length}{longest}"' in each.message for each in reported)
        assert all(f"at most {most} characters" in each.message for each in reported)
