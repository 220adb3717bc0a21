"""What goes wrong where something applies a repository again and again: TTLs, keys, and changes that are rejected."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

from kubectl_trainjob.kube.updates.result import RejectedChange
from kubectl_trainjob.model.message import Message
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import BuildOptions, ObjectId
from kubectl_trainjob.review import updates
from kubectl_trainjob.review.diff.changes import Change
from kubectl_trainjob.review.updates import RejectedValue
from tests.compiled import build
from tests.unit.lint.marked import CONFIG, JOB, RUNTIME, documents_of, found, found_since, joined, lines, marked

TTL, KEYS = "KTJ812", "KTJ811"
JOB_FIELD, PATCH, JOBSET_FIELD = "KTJ801", "KTJ802", "KTJ803"
_SPEC = "    spec:\n      replicatedJobs"
WITH_TTL = RUNTIME.replace(_SPEC, "    spec:\n      ttlSecondsAfterFinished: 60\n      replicatedJobs")
MARKED_TTL = WITH_TTL.replace("Finished: 60", f"Finished: 60 # <- {TTL}")


@pytest.mark.parametrize(
    ("settings", "runtime"),
    [
        pytest.param("delivery: argocd\n", MARKED_TTL, id="Argo CD"),
        pytest.param("delivery: flux\nemit: jobset\n", MARKED_TTL, id="Flux"),
        pytest.param("delivery: flux\n", WITH_TTL.replace("60", f"0 # <- {TTL}"), id="at once"),
        pytest.param("delivery: kubectl\n", WITH_TTL, id="kubectl"),
        pytest.param("", WITH_TTL, id="nobody says"),
        pytest.param("delivery: argocd\n", RUNTIME, id="no TTL"),
        pytest.param("delivery: argocd\nemit: trainjob\n", MARKED_TTL, id="Trainer makes the JobSet"),
    ],
)
def test_a_ttl(settings: str, runtime: str, tmp_path: Path) -> None:
    files = {"all.yaml": joined(JOB, runtime), "trainjob.yaml": CONFIG + settings}
    reported = found(documents_of(tmp_path, files), TTL)
    assert lines(reported) == marked(tmp_path, TTL)
    assert {each.severity for each in reported} <= {"info" if "trainjob" in settings else "error"}


def test_a_hook_is_not_missed(tmp_path: Path) -> None:
    annotated = WITH_TTL.replace(
        "  template:\n    spec:\n      ttl",
        "  template:\n    metadata:\n      annotations:\n        argocd.argoproj.io/hook: Sync\n    spec:\n      ttl",
    )
    files = {"all.yaml": joined(JOB, annotated), "trainjob.yaml": f"{CONFIG}delivery: argocd\n"}
    assert found(documents_of(tmp_path, files), TTL) == []


def test_a_ttl_that_an_overlay_patches_in(tmp_path: Path) -> None:
    patch = f"""\
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: ClusterTrainingRuntime
        metadata:
          name: plain
        spec:
          template:
            spec:
              ttlSecondsAfterFinished: 60 # <- {TTL}
        """
    files = {
        "trainjob.yaml": f"{CONFIG}delivery: argocd\n",
        "base/all.yaml": joined(JOB, RUNTIME),
        "prod/overlay.yaml": "resources: [../base]\npatches:\n  - path: patch.yaml\n",
        "prod/patch.yaml": joined(patch),
    }
    assert lines(found(documents_of(tmp_path, files, "prod"), TTL)) == marked(tmp_path, TTL)


def _built(tmp_path: Path, emit: str) -> dict[str, Any]:
    documents = documents_of(tmp_path / emit, {"all.yaml": joined(JOB, WITH_TTL)})
    built = build(documents, BuildOptions(emit=emit))
    assert built.diagnostics == ()
    return {output.id.kind: output.body for output in built.outputs}


def test_only_the_jobset_carries_the_ttl(tmp_path: Path) -> None:
    """What is applied is deleted by the TTL where JobSets are applied, and is not where TrainJobs are."""
    assert _built(tmp_path, "jobset")["JobSet"]["spec"]["ttlSecondsAfterFinished"] == 60
    made = _built(tmp_path, "trainjob")
    assert made.keys() == {"TrainJob", "ClusterTrainingRuntime"}
    assert "ttl" not in str(made["TrainJob"])


_PRIVATE = "-----BEGIN EC PRIVATE KEY-----\n"
_CURVE = '#  ZeroMQ CURVE Secret Certificate\ncurve\n    secret-key = "a"\n'


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def _secret(name: str, *entries: str, field: str = "data", head: str = "apiVersion: v1\nkind: Secret") -> str:
    return f"{head}\nmetadata:\n  name: {name}\n{field}:\n" + "".join(f"  {entry}\n" for entry in entries)


_MARK = f" # <- {KEYS}"
_SSH, _PLAIN_SSH = f"ssh-privatekey: {_encoded(_PRIVATE)}", "ssh-privatekey: '-----BEGIN EC PRIVATE KEY-----'"


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param(_secret("mnist-mpi-ssh-auth", _SSH + _MARK), id="SSH"),
        pytest.param(_secret("mnist-mpi-ssh-auth", _PLAIN_SSH + _MARK, field="stringData"), id="SSH as text"),
        pytest.param(_secret("mpi", _SSH + _MARK, "ssh-publickey: YQ=="), id="both keys, by another name"),
        pytest.param(_secret("mnist-flux-curve", f"curve.cert: {_encoded(_CURVE)}{_MARK}"), id="CURVE"),
        pytest.param(_secret("deploy", _SSH, "known_hosts: YQ=="), id="a key for something else"),
        pytest.param(_secret("mnist-mpi-ssh-auth", "ssh-publickey: YQ=="), id="what all may know"),
        pytest.param(_secret("mnist-mpi-ssh-auth", 'ssh-privatekey: ""'), id="to be filled"),
        pytest.param(_secret("mnist-mpi-ssh-auth", "ssh-privatekey: ENC[AES256_GCM,data:YQ==]"), id="encrypted"),
        pytest.param(_secret("mnist-mpi-ssh-auth", "ssh-privatekey: <path:kv/data/ssh#key>"), id="placeholder"),
        pytest.param(_secret("mnist-mpi-ssh-auth", "ssh-privatekey: 1"), id="no text"),
        pytest.param("apiVersion: v1\nkind: Secret\nmetadata:\n  name: mnist-mpi-ssh-auth\ndata: [a]\n", id="no data"),
        pytest.param(
            _secret("mnist-mpi-ssh-auth", _SSH, head="apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret"),
            id="another kind",
        ),
    ],
)
def test_a_key(secret: str, tmp_path: Path) -> None:
    reported = found(documents_of(tmp_path, {"all.yaml": joined(secret, JOB, RUNTIME)}), KEYS)
    assert lines(reported) == marked(tmp_path, KEYS)
    assert not any("PRIVATE" in each.message or _encoded(_PRIVATE) in each.message for each in reported)


def _trainer(text: str, job: str = JOB) -> str:
    return f"{job}  trainer:\n{indent(text, '    ')}\n"


def _patched(zone: str, more: str = "") -> str:
    return f"""{JOB}{more}\
  runtimePatches:
    - manager: acme.example/placement
      trainingRuntimeSpec:
        template:
          spec:
            replicatedJobs:
              - name: node
                template:
                  spec:
                    template:
                      spec:
                        nodeSelector:
                          zone: {zone}
"""


_SUSPENDED = "  suspend: true\n"
_TRAIN_JOBS = [
    pytest.param(_trainer("numNodes: 2"), _trainer(f"numNodes: 4 # <- {JOB_FIELD}"), id="trainer"),
    pytest.param(
        _trainer("numNodes: 2", JOB + _SUSPENDED),
        _trainer(f"numNodes: 4 # <- {JOB_FIELD}", JOB + _SUSPENDED),
        id="trainer, suspended",
    ),
    pytest.param(
        _trainer("env: [{name: A, value: a}, {name: B, value: b}]"),
        _trainer(f"env: [{{name: A, value: a}}] # <- {JOB_FIELD}"),
        id="an entry that is gone",
    ),
    pytest.param(_trainer("numNodes: 2"), JOB, id="nothing is left that could be compared"),
    pytest.param(JOB, JOB.replace("name: plain", f"name: other # <- {JOB_FIELD}"), id="runtimeRef"),
    pytest.param(JOB, JOB + _SUSPENDED, id="suspend"),
    pytest.param(JOB, JOB.replace("name: mnist", "name: mnist\n  labels: {a: b}"), id="labels"),
    pytest.param(_trainer("numNodes: 2"), _trainer("numNodes: 4", JOB.replace("mnist", "new")), id="a new name"),
    pytest.param(_patched("a"), _patched(f"b # <- {PATCH}"), id="patch"),
    pytest.param(_patched("a", _SUSPENDED), _patched("b", _SUSPENDED), id="patch, suspended"),
    pytest.param(_patched("a"), _patched("b", _SUSPENDED), id="patch, while it is suspended"),
    pytest.param(_patched("a", _SUSPENDED), _patched("b"), id="patch, while it is started"),
]


@pytest.mark.parametrize(("before", "after"), _TRAIN_JOBS)
def test_a_change_of_a_train_job(before: str, after: str, tmp_path: Path) -> None:
    other = RUNTIME.replace("name: plain", "name: other")
    old, new = (
        documents_of(tmp_path / side, {"all.yaml": joined(text, RUNTIME, other)})
        for side, text in (("old", before), ("new", after))
    )
    reported = found_since(old, new, emit="trainjob")
    for rule in (JOB_FIELD, PATCH, JOBSET_FIELD):
        assert lines([each for each in reported if each.rule.id == rule]) == marked(tmp_path / "new", rule)


def test_a_change_of_what_patches_were_called(tmp_path: Path) -> None:
    overrides = f"{JOB}  podSpecOverrides:\n    - targetJobs: [{{name: node}}]\n      nodeSelector: {{zone: ZONE}}\n"
    old, new = (
        documents_of(tmp_path / zone, {"all.yaml": joined(overrides.replace("ZONE", zone), RUNTIME)})
        for zone in ("a", "b")
    )
    (reported,) = found_since(old, new, emit="trainjob", trainer_version="2.0")
    assert reported.rule.id == PATCH
    assert "only while the live job is suspended" in reported.message


def test_a_field_of_a_patch_that_never_changes(tmp_path: Path) -> None:
    old, new = (
        documents_of(
            tmp_path / account,
            {
                "all.yaml": joined(
                    _patched("a", _SUSPENDED).replace("nodeSelector:\n                          zone: a", account),
                    RUNTIME,
                )
            },
        )
        for account in ("serviceAccountName: a", "serviceAccountName: b")
    )
    (reported,) = found_since(old, new, emit="trainjob")
    assert reported.rule.id == PATCH
    assert "not even while it is suspended" in reported.message


def _selecting(zone: str, more: str = "") -> str:
    return RUNTIME.replace(
        "spec:\n                  containers",
        f"spec:\n                  nodeSelector: {{zone: {zone}}}{more}\n                  containers",
    )


_JOBSETS = [
    pytest.param(RUNTIME, RUNTIME.replace("3.13-slim", f"3.14-slim # <- {JOBSET_FIELD}"), "not even", id="image"),
    pytest.param(_selecting("a"), _selecting("b", f" # <- {JOBSET_FIELD}"), "only while", id="node selector"),
    pytest.param(WITH_TTL, WITH_TTL.replace("60", "90"), "", id="TTL"),
    pytest.param(
        RUNTIME,
        RUNTIME.replace(
            _SPEC, f"    spec:\n      network: {{subdomain: peers}} # <- {JOBSET_FIELD}\n      replicatedJobs"
        ),
        "not even",
        id="subdomain",
    ),
    pytest.param(RUNTIME, RUNTIME.replace("numNodes: 1", f"numNodes: 2 # <- {JOBSET_FIELD}"), "not even", id="nodes"),
    pytest.param(
        _selecting("a"),
        _selecting("b").replace("3.13-slim", f"3.14-slim # <- {JOBSET_FIELD}"),
        "not even",
        id="what never changes is told",
    ),
]


@pytest.mark.parametrize(("before", "after", "words"), _JOBSETS)
def test_a_change_of_a_jobset(before: str, after: str, words: str, tmp_path: Path) -> None:
    """The line is the runtime's, for each JobSet that it changes."""
    jobs = joined(*(JOB.replace("mnist", name) for name in ("a", "b")))
    old, new = (
        documents_of(tmp_path / side, {"jobs.yaml": jobs, "runtime.yaml": text})
        for side, text in (("old", before), ("new", after))
    )
    reported = found_since(old, new)
    assert list(dict.fromkeys(lines(reported))) == marked(tmp_path / "new", JOBSET_FIELD)
    assert [each.subject.object for each in reported if each.subject] == (["JobSet/a", "JobSet/b"] if reported else [])
    assert all(words in each.message for each in reported)
    assert found_since(old, old) == []


def test_the_line_is_the_value_of_the_overlay(tmp_path: Path) -> None:
    def files(tag: str) -> dict[str, str]:
        overlay = f"resources: [../base]\nimages:\n  - name: python\n    newTag: {tag}\n"
        return {"base/all.yaml": joined(JOB, RUNTIME), "prod/overlay.yaml": overlay}

    old = documents_of(tmp_path / "old", files("3.13-slim"), "prod")
    new = documents_of(tmp_path / "new", files(f"3.14-slim # <- {JOBSET_FIELD}"), "prod")
    assert lines(found_since(old, new)) == marked(tmp_path / "new", JOBSET_FIELD)


_LINE, _OTHER_LINE = (Place(Source(SourceFile("a.yaml", "")), (name,)) for name in ("a", "b"))
_PLACES = (_LINE, _OTHER_LINE, _LINE, _OTHER_LINE)


def _rejected(*pointer: str | int, is_gone: bool = False) -> RejectedChange:
    return RejectedChange("running", pointer, Message("immutable"), is_gone)


_CONTAINER = ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec", "containers", 0)
_CALLED = "spec.replicatedJobs[node].template.spec.template.spec.containers[node]"


def _jobset(*variables: str) -> dict[str, Any]:
    env = [{"name": name, "value": "1"} for name in variables]
    pod = {"spec": {"containers": [{"name": "node", "env": env}]}}
    jobs = [{"name": "node", "template": {"spec": {"template": pod}}}]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {"replicatedJobs": jobs}}


@pytest.mark.parametrize(
    ("is_gone", "path"),
    [
        pytest.param(False, f"{_CALLED}.env[PET_NNODES].value", id="in the new one"),
        pytest.param(True, f"{_CALLED}.env[B].value", id="gone from the old one"),
    ],
)
def test_members_of_lists_are_named_by_key(is_gone: bool, path: str) -> None:
    value = RejectedValue(_rejected(*_CONTAINER, "env", 1, "value", is_gone=is_gone), _LINE)
    identity = ObjectId("jobset.x-k8s.io/v1alpha2", "JobSet", "", "mnist")
    change = Change(identity, "changed", _jobset("A", "B"), _jobset("A", "PET_NNODES"))
    finding = updates._hit(change, [value])
    assert finding.message.startswith(f'"{path}" cannot change in a live job')


def test_a_line_is_one_finding_however_many_values_it_has() -> None:
    values = [RejectedValue(_rejected("spec", name), place) for name, place in zip("abcd", _PLACES, strict=True)]
    finding = updates._hit(Change(ObjectId("v1", "JobSet", "", "mnist"), "changed", {}, {}), values)
    assert finding.message.startswith('"spec.a" and 3 more cannot change')
    assert (finding.at, [place for _, place in finding.related]) == (_LINE, [_OTHER_LINE])


def test_a_number_of_nodes_is_one_line(tmp_path: Path) -> None:
    """It becomes parallelism, completions and a variable."""
    torch = RUNTIME.replace("numNodes: 1", "numNodes: 1\n    torch: {}")
    old, new = (
        documents_of(tmp_path / number, {"all.yaml": joined(_trainer(f"numNodes: {number}"), torch)})
        for number in ("2", "4")
    )
    (finding,) = found_since(old, new)
    assert "and 2 more" in finding.message
    assert finding.related == ()


_FLUX = "numNodes: 1\n    flux: {numProcPerNode: 1}"


@pytest.mark.parametrize(
    ("settings", "overlay", "expected"),
    [
        pytest.param("delivery: argocd\n", "nameHash: true\n", ["warning"], id="a Secret for each run"),
        pytest.param("delivery: flux\n", "", ["info"], id="one Secret"),
        pytest.param("delivery: kubectl\n", "nameHash: true\n", [], id="apply creates it"),
        pytest.param("", "nameHash: true\n", [], id="no tool"),
        pytest.param("delivery: argocd\nemit: trainjob\n", "nameHash: true\n", [], id="Trainer creates it"),
    ],
)
def test_generated_keys(settings: str, overlay: str, expected: list[str], tmp_path: Path) -> None:
    files = {
        "trainjob.yaml": CONFIG + settings,
        "base/all.yaml": joined(
            f"{JOB}  trainer: {{numNodes: 1, command: [a]}}\n", RUNTIME.replace("numNodes: 1", _FLUX)
        ),
        "prod/overlay.yaml": f"resources: [../base]\n{overlay}",
    }
    reported = found(documents_of(tmp_path, files, "prod"), "KTJ813")
    assert [each.severity.value for each in reported] == expected
