"""The same directories built by kustomize and by us: the files differ in their heads and one word, not in meaning."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands import call
from tests.tools import require

_OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\n"
_COMPONENT = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Component\n"
_COMPONENT_OF_KUSTOMIZE = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
_KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"

_OBJECTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {mode: base, level: "1"}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: runner}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, labels: {app: train}}
spec:
  template:
    metadata: {labels: {app: train}}
    spec:
      serviceAccountName: runner
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example.com/train:1
        env:
        - {name: A, value: a}
        - {name: MODE, valueFrom: {configMapKeyRef: {name: settings, key: mode}}}
        volumeMounts:
        - {name: config, mountPath: /config}
      volumes:
      - name: config
        configMap: {name: settings}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: runner}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: runner}
subjects:
- {kind: ServiceAccount, name: runner, namespace: default}
"""

_BASE = "resources: [objects.yaml]\n"
_PATCH = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  backoffLimit: 2
  template:
    spec:
      containers:
      - name: main
        env:
        - {name: B, value: b}
        - {name: A, value: patched}
"""

TREES: dict[str, dict[str, str]] = {
    "settings of every sort": {
        "base/KIND": _BASE,
        "top/KIND": "resources: [../base]\nnamespace: team-a\nnameSuffix: -prod\n"
        "labels:\n- pairs: {stage: prod}\n- pairs: {team: a}\n  includeTemplates: true\n"
        "ANNOTATIONS: {owner: me}\nimages:\n- {name: registry.example.com/train, newName: mirror/train, newTag: '2'}\n",
    },
    "patches": {
        "base/KIND": _BASE,
        "top/patch.yaml": _PATCH,
        "top/operations.yaml": "- {op: replace, path: /data/level, value: '2'}\n"
        "- {op: add, path: /data/new, value: x}\n",
        "top/KIND": "resources: [../base]\npatches:\n- path: patch.yaml\n"
        "- path: operations.yaml\n  target: {kind: ConfigMap, name: sett.*}\n"
        "- target: {labelSelector: app=train}\n  patch: |-\n    - op: remove\n      path: /spec/template/spec/volumes\n"
        "- patch: |\n    apiVersion: v1\n    kind: ServiceAccount\n    metadata: {name: runner}\n    $patch: delete\n",
    },
    "three layers": {
        "base/KIND": _BASE + "nameSuffix: -base\nlabels: [{pairs: {layer: base, base: 'yes'}}]\n",
        "middle/KIND": "resources: [../base]\nnamespace: middle\nlabels: [{pairs: {layer: middle}}]\n",
        "top/KIND": "resources: [../middle]\nnameSuffix: -top\nnamespace: top\npatches:\n"
        "- target: {kind: Job, name: train}\n  patch: |\n"
        "    - {op: add, path: /metadata/annotations, value: {by: first-name}}\n"
        "- target: {kind: Job, name: train-base}\n  patch: |\n"
        "    - {op: add, path: /metadata/annotations/too, value: last-name}\n",
    },
    "two variants of one base": {
        "base/KIND": _BASE,
        "one/KIND": "resources: [../base]\nnameSuffix: -one\n",
        "two/KIND": "resources: [../base]\nnameSuffix: -two\n",
        "top/KIND": "resources: [../one, ../two]\nANNOTATIONS: {all: of-them}\n",
    },
    "prefixes": {
        "base/KIND": _BASE + "namePrefix: base-\n",
        "middle/KIND": "resources: [../base]\nnamePrefix: mid-\nnameSuffix: -dle\nnamespace: middle\n",
        "top/KIND": "resources: [../middle]\nnamePrefix: a.\npatches:\n"
        "- target: {kind: Job, name: mid-base-train-dle}\n  patch: |\n"
        "    - {op: add, path: /metadata/annotations, value: {by: last-name}}\n",
    },
    "names between a prefix and a suffix": {
        "base/KIND": _BASE + "namePrefix: base-\nnamespace: base\n",
        "middle/KIND": "resources: [../base]\nnamePrefix: mid-\nnameSuffix: -dle\nnamespace: middle\n",
        "top/KIND": "resources: [../middle, pod.yaml]\npatches:\n"
        "- patch: |\n    {apiVersion: v1, kind: ConfigMap, metadata: {name: mid-base-settings, namespace: middle},\n"
        "      data: {by: prefixed}}\n"
        "- patch: |\n    {apiVersion: batch/v1, kind: Job, metadata: {name: base-train, namespace: middle},\n"
        "      spec: {backoffLimit: 9}}\n",
        "top/pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: reader, namespace: middle}\nspec:\n"
        "  containers: [{name: main, image: a}]\n"
        "  volumes: [{name: v, configMap: {name: mid-base-settings}}, {name: w, configMap: {name: mid-settings}}]\n",
    },
    "two prefixes of one base": {
        "base/KIND": _BASE,
        "one/KIND": "resources: [../base]\nnamePrefix: one-\nnameSuffix: -x\n",
        "two/KIND": "resources: [../base]\nnamePrefix: two-\nnameSuffix: -x\n",
        "top/KIND": "resources: [../one, ../two]\nnamePrefix: all-\n",
    },
    "components": {
        "base/KIND": _BASE + "nameSuffix: -base\n",
        "mirror/COMPONENT": "images: [{name: registry.example.com/train, newName: mirror/train}]\n"
        "labels: [{pairs: {from: mirror}}]\nresources: [more.yaml]\n",
        "mirror/more.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n",
        "patched/COMPONENT": "components: [../inner]\npatches:\n"
        "- target: {kind: ConfigMap}\n  patch: |-\n    - {op: add, path: /data, value: {set: by-a-component}}\n",
        "inner/COMPONENT": "namePrefix: inner-\nANNOTATIONS: {inner: 'yes'}\n",
        "top/KIND": "resources: [../base]\ncomponents: [../mirror, ../patched]\nnamespace: top\nnamePrefix: top-\n",
    },
    "components in another order": {
        "base/KIND": _BASE,
        "a/COMPONENT": "nameSuffix: -a\npatches:\n- target: {kind: Job, name: train}\n  patch: |\n"
        "    - {op: replace, path: /spec/backoffLimit, value: 7}\n",
        "b/COMPONENT": "nameSuffix: -b\npatches:\n- target: {kind: Job, name: train-a}\n  patch: |\n"
        "    - {op: replace, path: /spec/backoffLimit, value: 8}\n",
        "middle/KIND": "resources: [../base]\ncomponents: [../a]\n",
        "top/KIND": "resources: [../middle]\ncomponents: [../b, ../a]\n",
    },
}


def _write(folder: Path, tree: dict[str, str], ours: bool) -> None:
    file, head, annotations = (
        ("overlay.yaml", _OVERLAY, "annotations")
        if ours
        else ("kustomization.yaml", _KUSTOMIZATION, "commonAnnotations")
    )
    of_component = _COMPONENT if ours else _COMPONENT_OF_KUSTOMIZE
    for path, text in {"base/objects.yaml": _OBJECTS, **tree}.items():
        target = folder / path.replace("KIND", file).replace("COMPONENT", file)
        target.parent.mkdir(parents=True, exist_ok=True)
        before = {"KIND": head, "COMPONENT": of_component}.get(path.rpartition("/")[2], "")
        target.write_text(before + text.replace("ANNOTATIONS", annotations))


def _run(*command: str, cwd: Path, given: str = "") -> str:
    done = subprocess.run(command, cwd=cwd, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _objects(text: str) -> list[Any]:
    return sorted(yaml.safe_load_all(text), key=lambda body: (body["kind"], body["metadata"]["name"]))


@pytest.mark.parametrize("name", TREES)
def test_same_objects(name: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    _write(ours, TREES[name], ours=True)
    _write(theirs, TREES[name], ours=False)
    (ours / ".git").mkdir()
    done = call(ours, "build", "top")
    assert done.returncode == 0, done.stderr
    built = _objects(done.stdout)
    assert built == _objects(_run(require("kubectl"), "kustomize", "top", cwd=theirs))
    assert built


_RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: plain}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: plain:1
                  env:
                  - {name: A, value: a}
"""
_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef: {name: plain}
  trainer:
    env:
    - {name: A, value: a}
    - {name: B, value: b}
"""
_BY_KEY = """\
patches:
- target: {kind: TrainJob}
  patch: |
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata: {name: a}
    spec:
      trainer:
        env:
        - {name: B, value: c}
- target: {kind: ClusterTrainingRuntime}
  patch: |
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata: {name: plain}
    spec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                template:
                  spec:
                    containers:
                    - name: node
                      image: plain:2
"""


def test_lists_of_train_jobs_are_merged_by_key_and_kustomize_replaces_them(tmp_path: Path) -> None:
    tree = {"base/objects.yaml": _JOB + "---\n" + _RUNTIME, "top/KIND": "resources: [../base/objects.yaml]\n" + _BY_KEY}
    replaced = {"top/objects.yaml": tree["base/objects.yaml"], "top/KIND": "resources: [objects.yaml]\n" + _BY_KEY}
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    _write(ours, tree, ours=True)
    _write(theirs, replaced, ours=False)
    (ours / ".git").mkdir()
    mine = _objects(_run(sys.executable, "-m", "kubectl_trainjob", "build", "--emit", "trainjob", "top", cwd=ours))
    runtime, job = mine
    assert sorted(job["spec"]["trainer"]["env"], key=str) == [{"name": "A", "value": "a"}, {"name": "B", "value": "c"}]
    [container] = _containers(runtime)
    assert container == {"name": "node", "image": "plain:2", "env": [{"name": "A", "value": "a"}]}
    runtime, job = _objects(_run(require("kubectl"), "kustomize", "top", cwd=theirs))
    assert job["spec"]["trainer"]["env"] == [{"name": "B", "value": "c"}]
    assert "metadata" not in runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]


def _containers(runtime: Any) -> Any:
    [node] = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    return node["template"]["spec"]["template"]["spec"]["containers"]


def test_what_kustomize_prints_is_built(tmp_path: Path) -> None:
    """`kubectl kustomize DIR | kubectl trainjob build -`: the TrainJob under kustomize's names becomes a JobSet."""
    tree = {
        "base/objects.yaml": _JOB + "---\n" + _RUNTIME + "---\n" + _OBJECTS,
        "base/KIND": "resources: [objects.yaml]\n",
        "top/KIND": "resources: [../base]\nnamespace: team-a\n"
        "images: [{name: plain, newTag: '7'}]\nlabels: [{pairs: {stage: prod}}]\n",
    }
    _write(tmp_path, tree, ours=False)
    printed = _run(require("kubectl"), "kustomize", "top", cwd=tmp_path)
    built = _objects(_run(sys.executable, "-m", "kubectl_trainjob", "build", "-", cwd=tmp_path, given=printed))
    assert [body["kind"] for body in built] == ["ConfigMap", "Job", "JobSet", "RoleBinding", "ServiceAccount"]
    jobset = built[2]
    assert (jobset["metadata"]["name"], jobset["metadata"]["namespace"]) == ("a", "team-a")
    [node] = jobset["spec"]["replicatedJobs"]
    assert node["template"]["spec"]["template"]["spec"]["containers"][0]["image"] == "plain:7"
    passed = [
        body for body in yaml.safe_load_all(printed) if body["kind"] not in ("TrainJob", "ClusterTrainingRuntime")
    ]
    assert [body for body in built if body["kind"] != "JobSet"] == sorted(passed, key=lambda body: body["kind"])
