"""What may grow in a repository: for each axis the files of a size `n`, the command that reads them, and a size.

In a text, `⟦…⟧` is repeated `n` times, with `$i` as the number of the repetition and `$h` as its predecessor. A path
with `$i` is `n` files.
"""

# ruff: noqa: E501  # tables: a line for each entry

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Axis(NamedTuple):
    """`bound` names the limit that ends a growth that is steeper than a line until there."""

    size: int
    files: Mapping[str, str]
    command: tuple[str, ...] = ("build", ".")
    bound: str = ""

    def of_size(self, n: int) -> dict[str, str]:
        """The files."""
        paths = {
            path.replace("$i", str(i)): text
            for path, text in self.files.items()
            for i in range(n if "$i" in path else 1)
        }
        numbers = {path.replace("$i", str(i)): i for path in self.files for i in range(n if "$i" in path else 1)}
        return {path: _repeated(text, n).replace("$i", str(numbers[path])).replace("$h", str(max(numbers[path] - 1, 0))) for path, text in paths.items()}  # fmt: skip


def _repeated(text: str, n: int) -> str:
    def all_of(part: re.Match[str]) -> str:
        return "".join(part[1].replace("$i", str(i)).replace("$h", str(max(i - 1, 0))) for i in range(n))

    return re.sub("⟦(.*?)⟧", all_of, text, flags=re.DOTALL)


_API = "apiVersion: trainer.kubeflow.org/v1alpha1"
_STEP = "metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}"
_OME = "apiVersion: ome.io/v1beta1\n"
_OURS = "apiVersion: kubectl-trainjob.dev/v1alpha1"
MAP_HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"


def _runtime(name: str = "plain", pod: str = "", container: str = "", of_job: str = "", jobset: str = "", meta: str = "") -> str:  # fmt: skip
    job = f"{{name: node, template: {{{_STEP}, spec: {{{of_job}template: {{{meta}spec: {{{pod}containers: [{{name: node, image: 'a:1', {container}}}]}}}}}}}}}}"
    return f"{_API}\nkind: ClusterTrainingRuntime\nmetadata: {{name: {name}}}\nspec: {{template: {{spec: {{{jobset or f'replicatedJobs: [{job}]'}}}}}}}\n".replace(
        "@JOB", job
    )


def _job(name: str = "j", spec: str = "", runtime: str = "plain") -> str:
    return (
        f"---\n{_API}\nkind: TrainJob\nmetadata: {{name: {name}}}\nspec: {{runtimeRef: {{name: {runtime}}}, {spec}}}\n"
    )


def _overlay(resources: str, more: str = "") -> str:
    return f"{_OURS}\nkind: Overlay\nresources: [{resources}]\n{more}"


PLAIN = _runtime()
_JOBS = PLAIN + f"⟦{_job('j$i')}⟧"
_REPLICATED = "{name: r$i, template: {spec: {template: {spec: {containers: [{name: c, image: 'a:1'}]}}}}}"


def _pod(size: int, fields: str) -> Axis:
    return Axis(size, {"a.yaml": _runtime(pod=fields) + _job()}, ("lint", ".", "-o", "json"))


def _container(size: int, fields: str) -> Axis:
    return Axis(size, {"a.yaml": _runtime(container=fields) + _job()}, ("lint", ".", "-o", "json"))


def _jobset(size: int, fields: str) -> Axis:
    return Axis(size, {"a.yaml": _runtime(jobset=fields) + _job()}, ("lint", ".", "-o", "json"))


def _build(size: int, text: str) -> Axis:
    return Axis(size, {"a.yaml": text})


def _lint(size: int, text: str, form: str = "json", **files: str) -> Axis:
    return Axis(size, {"a.yaml": text, **files}, ("lint", ".", "-o", form))


def _unit(size: int, settings: str, jobs: str = _job("j0"), bound: str = "") -> Axis:
    """An overlay."""
    files = {"o/a.yaml": PLAIN + jobs, "o/overlay.yaml": _overlay("a.yaml", settings)}
    return Axis(size, files, ("build", "o"), bound)


def _template(size: int, text: str, values: str = "{v: a}") -> Axis:
    return Axis(size, {"o/t.yaml.j2": text, "o/overlay.yaml": _overlay("t.yaml.j2", f"values: {values}\n")}, ("build", "o"))  # fmt: skip


def _two(axis: Axis, command: str, form: str, *options: str) -> Axis:
    """An axis as base and head, which differ by WORD."""
    files = {f"{side}/{path}": text.replace("WORD", side) for side in ("old", "new") for path, text in axis.files.items()}  # fmt: skip
    marks = {f"{side}/.git/HEAD": "ref: refs/heads/main\n" for side in ("old", "new")}
    return Axis(axis.size, {**files, **marks}, (command, "old", "new", "-o", form, *options))


_EDITED = PLAIN + f"⟦{_job('j$i', 'trainer: {image: acme/WORD}')}⟧"
_FAULTY = PLAIN + f"⟦{_job('j$i', 'trainer: {numNodes: -1}')}⟧"
_VARIABLES = _runtime(container="env: [⟦{name: N$i, value: WORD},\n⟧]") + _job()
_LIST = '{"apiVersion": "v1", "kind": "List", "items": [%s]}'
_JSON_JOB = '{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "%s"}, "spec": {"runtimeRef": {"name": "%s"}}}'
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

OF_PODS = {
    "env": _container(3200, "env: [⟦{name: N$i, value: a},\n⟧]"),
    "env that refers": _container(2000, "env: [⟦{name: N$i, value: '$(N$h)'},\n⟧]"),
    "references of an argument": _container(2000, "args: ['⟦$(N$i) ⟧'], env: [⟦{name: N$i, value: a},\n⟧]"),
    "envFrom": _container(1600, "envFrom: [⟦{configMapRef: {name: c$i}},\n⟧]"),
    "ports": _container(800, "ports: [⟦{containerPort: 1$i, name: p$i},\n⟧]"),
    "host ports": _container(800, "ports: [⟦{containerPort: 1$i, hostPort: 1$i},\n⟧]"),
    "args": _container(6000, "args: [⟦a$i,\n⟧]"),
    "resources": _container(1200, "resources: {limits: {⟦a.b/k$i: 1,\n⟧}}"),
    "resize policies": _container(250, "resizePolicy: [⟦{resourceName: r$i, restartPolicy: NotRequired},\n⟧]"),
    "mounts": Axis(1000, {"a.yaml": _runtime(pod="volumes: [⟦{name: v$i, emptyDir: {}},\n⟧], ", container="volumeMounts: [⟦{name: v$i, mountPath: /m$i},\n⟧]") + _job()}, ("lint", ".", "-o", "json")),
    "capabilities": _container(12000, "securityContext: {capabilities: {add: [⟦C$i,\n⟧]}}"),
    "probe headers": _container(2800, "livenessProbe: {httpGet: {port: 1, httpHeaders: [⟦{name: H$i, value: a},\n⟧]}}"),
    "volumes": _pod(1200, "volumes: [⟦{name: v$i, configMap: {name: c$i}},\n⟧], "),
    "keys of a volume": _pod(2800, "volumes: [{name: v, configMap: {name: c, items: [⟦{key: k$i, path: p$i},\n⟧]}}], "),
    "projections": _pod(1600, "volumes: [{name: v, projected: {sources: [⟦{secret: {name: s$i}},\n⟧]}}], "),
    "init containers": _pod(600, "initContainers: [⟦{name: c$i, image: 'a:1'},\n⟧], "),
    "pull secrets": _pod(5200, "imagePullSecrets: [⟦{name: s$i},\n⟧], "),
    "topology constraints": _pod(1600, "topologySpreadConstraints: [⟦{maxSkew: 1, topologyKey: k$i, whenUnsatisfiable: DoNotSchedule},\n⟧], "),
    "tolerations": _pod(3600, "tolerations: [⟦{key: k$i, operator: Exists},\n⟧], "),
    "host aliases": _pod(2000, "hostAliases: [⟦{ip: 10.0.0.1, hostnames: [a$i]},\n⟧], "),
    "scheduling gates": _pod(4000, "schedulingGates: [⟦{name: g$i},\n⟧], "),
    "readiness gates": _pod(3600, "readinessGates: [⟦{conditionType: g$i},\n⟧], "),
    "resource claims": _pod(2400, "resourceClaims: [⟦{name: g$i, resourceClaimName: c$i},\n⟧], "),
    "claims": Axis(1000, {"a.yaml": _runtime(pod="resourceClaims: [⟦{name: c$i, resourceClaimName: c},\n⟧], ", container="resources: {claims: [⟦{name: c$i},\n⟧]}") + _job()}, ("lint", ".", "-o", "json")),
    "unknown claims": Axis(500, {"a.yaml": _runtime(pod="resourceClaims: [⟦{name: c$i, resourceClaimName: c},\n⟧], ", container="resources: {claims: [⟦{name: d$i},\n⟧]}") + _job()}, ("lint", ".", "-o", "json")),
    "unknown mounts": Axis(1500, {"a.yaml": _runtime(pod="volumes: [⟦{name: v$i, emptyDir: {}},\n⟧], ", container="volumeMounts: [⟦{name: v$i-x, mountPath: /m$i},\n⟧]") + _job()}, ("lint", ".", "-o", "json")),
    "devices and mounts": Axis(500, {"a.yaml": _runtime(pod="volumes: [⟦{name: w$i, emptyDir: {}},\n⟧], ", container="volumeDevices: [⟦{name: v$i, devicePath: /d$i},\n⟧], volumeMounts: [⟦{name: w$i, mountPath: /m$i},\n⟧]") + _job()}, ("lint", ".", "-o", "json")),
    "secrets": _container(1000, "env: [⟦{name: A$i_TOKEN, value: hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH$i},\n⟧]"),
    "claim templates": _jobset(800, "volumeClaimPolicies: [{templates: [⟦{metadata: {name: d$i}, spec: {accessModes: [ReadWriteOnce]}},\n⟧]}], replicatedJobs: [@JOB]"),
    "sysctls": _pod(3200, "securityContext: {sysctls: [⟦{name: net.a$i, value: '1'},\n⟧]}, "),
    "groups": _pod(8000, "securityContext: {supplementalGroups: [⟦$i,\n⟧]}, "),
    "name servers": _pod(3600, "dnsConfig: {nameservers: [⟦10.0.0.1,\n⟧]}, "),
    "DNS options": _pod(5200, "dnsConfig: {options: [⟦{name: o$i},\n⟧]}, "),
    "searches": _pod(6000, "dnsConfig: {searches: [⟦s$i,\n⟧]}, "),
    "node selector": _pod(6000, "nodeSelector: {⟦k$i: a,\n⟧}, "),
    "node terms": _pod(1200, f"affinity: {{nodeAffinity: {{{_REQUIRED}: {{nodeSelectorTerms: [⟦{{matchExpressions: [{{key: k$i, operator: Exists}}]}},\n⟧]}}}}}}, "),
    "Pod terms": _pod(1200, f"affinity: {{podAffinity: {{{_REQUIRED}: [⟦{{topologyKey: k$i, labelSelector: {{matchLabels: {{a: b}}}}}},\n⟧]}}}}, "),
    "labels": _lint(4000, _runtime(meta="metadata: {labels: {⟦k$i: a,\n⟧}}, ") + _job()),
    "annotations": _lint(4000, _runtime(meta="metadata: {annotations: {⟦k$i: a,\n⟧}}, ") + _job()),
    "failure rules": _lint(600, _runtime(of_job="podFailurePolicy: {rules: [⟦{action: Ignore, onExitCodes: {operator: In, values: [1]}},\n⟧]}, ") + _job()),
    "exit codes": _lint(3200, _runtime(of_job="podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [⟦1$i,\n⟧]}}]}, ") + _job()),
    "replicated jobs": _jobset(200, f"replicatedJobs: [@JOB, ⟦{_REPLICATED},\n⟧]"),
    "dependencies": _jobset(200, "replicatedJobs: [@JOB, " + f"⟦{_REPLICATED[:-1]}, dependsOn: [{{name: node, status: Ready}}]}},\n⟧]"),
    "rules of a JobSet": _jobset(1200, "replicatedJobs: [@JOB], failurePolicy: {rules: [⟦{name: r$i, action: FailJobSet},\n⟧]}"),
    "targets of a rule": _jobset(1500, "replicatedJobs: [@JOB], successPolicy: {operator: All, targetReplicatedJobs: [⟦r$i,\n⟧]}"),
}  # fmt: skip
AXES: dict[str, Axis] = {
    **{f"{name} (Pod)": axis for name, axis in OF_PODS.items()},
    "env of a job": _build(1200, PLAIN + _job("j", "trainer: {env: [⟦{name: N$i, value: a},\n⟧]}")),
    "args of a job": _build(4800, PLAIN + _job("j", "trainer: {args: [⟦a$i,\n⟧]}")),
    "words of a command": _lint(8000, PLAIN + _job("j", "trainer: {command: [sh, -c, 'torchrun ⟦--a=$(B) $C ⟧']}")),
    "lines of a script": _lint(160000, PLAIN + _job("j", 'trainer: {command: [sh, -c, "⟦torchrun a.py\\\\\\n⟧"]}')),
    "mounts of a runtime patch": _build(600, _runtime(pod="volumes: [⟦{name: v$i, emptyDir: {}},\n⟧], ") + _job("j", "runtimePatches: [{manager: a.b/c, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {volumes: [⟦{name: v$i, emptyDir: {}},\n⟧], imagePullSecrets: [⟦{name: v$i},\n⟧], containers: [{name: node, volumeMounts: [⟦{name: v$i, mountPath: /m$i},\n⟧]}]}}}}}]}}}}]")),
    "runtime patches": _build(280, PLAIN + _job("j", "runtimePatches: [⟦{manager: a.b/m$i, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {nodeSelector: {k: a}}}}}}]}}}},\n⟧]")),
    "jobs": _build(100, _JOBS),
    "jobs of one name": _build(80, PLAIN + f"⟦{_job()}⟧"),
    "jobs on one line": Axis(100, {"r.yaml": PLAIN, "a.json": _LIST % ("⟦" + _JSON_JOB % ("j$i", "plain") + ",⟧" + _JSON_JOB % ("j", "plain"))}),
    "one error on one line": Axis(100, {"r.yaml": PLAIN, "a.json": _LIST % ("⟦" + _JSON_JOB % ("j$i", "plain") + ",⟧" + _JSON_JOB % ("j", "x"))}),
    "errors on one line": Axis(1500, {"r.yaml": PLAIN, "a.json": _LIST % ("⟦" + _JSON_JOB % ("j$i", "x") + ",⟧" + _JSON_JOB % ("j", "x"))}),
    "runtimes": _build(80, "⟦---\n" + _runtime("r$i") + _job("j$i", runtime="r$i") + "⟧"),
    "runtimes without a label": _lint(250, "⟦---\n" + _runtime("r$i").replace("trainer.kubeflow.org/trainjob-ancestor-step: trainer", "a: b") + _job("j$i", runtime="r$i") + "⟧"),
    "runtimes that do not exist": _build(60, "⟦---\n" + _runtime("r$i") + _job("j$i", runtime="q$i") + "⟧"),
    "files": Axis(120, {"r.yaml": PLAIN, "d/$i.yaml": _job("j$i")}),
    "directories": Axis(60, {"r.yaml": PLAIN, "d$i/a.yaml": _job("j$i")}),
    "overlays": Axis(12, {"r.yaml": PLAIN, "j.yaml": _job(), "o$i/overlay.yaml": _overlay("../r.yaml, ../j.yaml", "namespace: n$i\n")}, ("lint", ".", "-o", "json")),
    "deployed overlays": Axis(40, {"trainjob.yaml": f"{_OURS}\nkind: Config\ndeploy: ['o*']\n", "o$i/overlay.yaml": _overlay("a.yaml"), "o$i/a.yaml": PLAIN + _job("j$i")}, ("lint", ".", "-o", "json")),
    "unknown fields": Axis(400, {"a.yaml": PLAIN + _job("j", "trainer: {⟦fild$i: a,\n⟧}")}, ("lint", ".", "-o", "json")),
    "resources of an overlay": Axis(100, {"o/r.yaml": PLAIN, "o/$i.yaml": _job("j$i"), "o/overlay.yaml": _overlay("r.yaml, ⟦$i.yaml,\n⟧")}, ("build", "o")),
    "labels of an overlay": _unit(14400, "labels: [{pairs: {⟦k$i: a,\n⟧}}]\n"),
    "annotations of an overlay": _unit(2000, "annotations: {⟦k$i: a,\n⟧}\n"),
    "images of an overlay": _unit(400, "images: [⟦{name: i$i, newTag: '1'},\n⟧]\n"),
    "image patterns": _unit(200, "images: [⟦{name: '(a|a)*$i', newTag: '1'},\n⟧]\n"),
    "jobs of an overlay": _unit(100, "labels: [{pairs: {a: b}}]\n", f"⟦{_job('j$i')}⟧"),
    "merge patches": _unit(60, "patches: [⟦{target: {kind: TrainJob}, patch: {spec: {trainer: {env: [{name: N$i, value: a}]}}}},\n⟧]\n", bound="limits.overlaySteps"),
    "jobs of merge patches": _unit(24, "patches: [{target: {kind: TrainJob}, patch: {spec: {suspend: true}}}]\n", f"⟦{_job('j$i')}⟧"),
    "items of a merge patch": _unit(320, "patches: [{target: {kind: TrainJob}, patch: {spec: {trainer: {env: [⟦{name: N$i, value: a},\n⟧]}}}}]\n", _job("j", "trainer: {env: [⟦{name: N$i, value: b},\n⟧]}")),
    "operations of a patch": _unit(40, "patches: [{target: {kind: TrainJob}, patch: [⟦{op: add, path: /spec/trainer/args/-, value: a},\n⟧]}]\n", _job("j", "trainer: {args: [a]}"), bound="limits.overlaySteps"),
    "names of targets": _unit(80, "patches: [⟦{target: {name: 'j.*$i'}, patch: {metadata: {labels: {a: b}}}},\n⟧]\n"),
    "a label selector": _unit(40000, "patches: [{target: {labelSelector: '⟦!k$i,⟧!k'}, patch: {metadata: {labels: {a: b}}}}]\n"),
    "ConfigMaps": _build(800, "⟦---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c$i}\n⟧"),
    "keys of a ConfigMap": _build(28000, MAP_HEAD + "data: {⟦k$i: a,\n⟧}\n"),
    "a long text": _build(40000, MAP_HEAD + "data:\n  k: |\n⟦    a: b # c\n⟧"),
    "a long line": _build(80000, MAP_HEAD + "data: {k: '⟦a: b # c⟧'}\n"),
    "escapes": _build(40000, MAP_HEAD + 'data: {k: "⟦\\x41\\/\\u00e9⟧"}\n'),
    "comments": _build(680000, "⟦# a\n⟧" + MAP_HEAD),
    "empty lines": _build(2880000, "⟦\n⟧" + MAP_HEAD),
    "documents of others": _build(1600, "⟦---\na: 1\n⟧"),
    "an error of YAML at the end": _build(1200, "⟦---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c$i}\n⟧a: b: c\n"),
    "errors of YAML": _build(400, "⟦a: b: c\n---\n⟧"),
    "brackets": _build(1600000, MAP_HEAD + "x: ⟦[⟧"),
    "tags": _build(440000, MAP_HEAD + "x: ⟦!a ⟧"),
    "words kind": _build(8000, PLAIN + _job(runtime="x") + "# ⟦kind: !kind:⟧"),
    "words name and value": _build(96000, PLAIN + _job(runtime="x # ⟦name: a_value: ⟧\n  ")),
    "aliases": _build(28000, MAP_HEAD + "data:\n  k: &a b\n⟦  k$i: *a\n⟧"),
    "anchors": _build(19200, MAP_HEAD + "data:\n⟦  k$i: &a$i b\n⟧"),
    "suppressions": _lint(800, PLAIN + "⟦# trainjob: ignore[KTJ301] a\n⟧"),
    "suppressions on one line": _lint(6000, PLAIN + "⟦# trainjob: ignore[KTJ301] a⟧\n"),
    "suppressions without end": _lint(6000, PLAIN + "⟦# trainjob: ignore[a ⟧\n"),
    "suppressions of one key": _lint(600, "⟦# trainjob: ignore[KTJ301] a\n⟧" + MAP_HEAD + "data:\n⟦  k$i: a\n⟧"),
    "a suppression after anchors": _lint(20000, PLAIN + "x⟦: &a⟧ # trainjob: ignore[KTJ301]\n"),
    "suppressions of objects": _lint(240, PLAIN.replace("name: plain", "name: plain, annotations: {⟦lint.kubectl-trainjob.dev/ignore.KTJ$i: a,\n⟧}", 1)),
    **{f"findings as {form}": _lint(40, _FAULTY, form) for form in ("human", "json", "sarif", "github", "junit", "gitlab", "markdown", "html")},
    "fixes": Axis(24, {"a.yaml": _FAULTY}, ("lint", ".", "--fix", "--diff")),
    "runtimes of a configuration": _lint(8000, PLAIN + _job(), **{"trainjob.yaml": f"{_OURS}\nkind: Config\nruntimes: [⟦/a$i,\n⟧]\n"}),
    "fixes of one document": Axis(160, {"a.yaml": PLAIN + "---\napiVersion: v1\nkind: List\nitems:\n⟦- {apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: q$i, annotations: {kueue.x-k8s.io/queue-name: a}}, spec: {runtimeRef: {name: plain}}}\n⟧"}, ("lint", ".", "--fix", "--unsafe-fixes", "--diff")),
    "patterns of perPath": _lint(25, PLAIN + _job(runtime="x"), **{"trainjob.yaml": f"{_OURS}\nkind: Config\nlint: {{perPath: {{⟦'**/a*$i/**': {{ignore: [KTJ901]}},\n⟧}}}}\n"}),
    "files for perPath": Axis(48, {"trainjob.yaml": f"{_OURS}\nkind: Config\nlint: {{perPath: {{'**/a*/**/b': {{ignore: [KTJ901]}}, 'd*/*/c': {{ignore: [KTJ901]}}}}}}\n", "d/$i.yaml": _job("j$i", runtime="x")}, ("lint", ".", "-o", "json")),
    "ignored files": Axis(240, {"trainjob.yaml": f"{_OURS}\nkind: Config\nignore: ['a*/**/b', '**/*x*y', 'd/**/z']\n", "d/$i.yaml": "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c$i}\n"}),
    "files and lines of .gitignore": Axis(600, {".gitignore": "⟦x$i.yaml\n*.x$i\ny$i*\n⟧", "d/$i.yaml": "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c$i}\n"}),
    "an index": Axis(152000, {"a.yaml": PLAIN + _job(), "o/.kubectl-trainjob-index": "⟦" + "0" * 64 + "  n/j$i.yaml\n⟧"}, ("lint", ".", "-o", "json")),
    "a path of an index": Axis(40000, {"a.yaml": PLAIN + _job(), "o/.kubectl-trainjob-index": "0" * 64 + "  ⟦a/⟧!\n"}, ("lint", ".", "-o", "json")),
    "lines of a template": _template(240, MAP_HEAD + "data:\n⟦  k$i: {{ values.v }}\n⟧"),
    "values of a template": _template(2800, MAP_HEAD + "data:\n{% for k, v in values.m.items() %}  {{ k }}: {{ v }}\n{% endfor %}", "{m: {⟦k$i: a,\n⟧}}"),
    "templates": Axis(20, {"o/$i.yaml.j2": MAP_HEAD.replace("name: c", "name: c$i") + "data: {k: '{{ values.v }}'}\n", "o/overlay.yaml": _overlay("⟦$i.yaml.j2,\n⟧", "values: {v: 1}\n")}, ("build", "o")),
    "braces in a raw block": _template(120000, "# {% raw %}⟦{{{{⟧{% endraw %}\n" + MAP_HEAD),
    "braces without end": _template(252000, "# {% raw %}⟦{{{{⟧"),
    "blanks in a set": _two(_template(2000, "{% set ns = namespace(x=1) %}{% set⟦ ⟧ns.x = values.v %}\n" + MAP_HEAD), "diff", "json", "--why"),
    "names in a template": _two(_template(40, "{% set a0 = values.v %}\n⟦{% set a$i = a$h if 0 else a$h %}\n⟧" + MAP_HEAD + "data: {⟦k$i: '{{ a$i }}',\n⟧}\n", "{v: WORD}"), "diff", "json", "--why"),
    "changed lines of a template": _two(_template(60, MAP_HEAD + "data:\n⟦  k$i: {{ values.v$i }}\n⟧", "{⟦v$i: WORD,\n⟧}"), "diff", "json"),
    "lines of a template in a review": _two(_template(60, MAP_HEAD + "data:\n⟦  k$i: {{ values.v$i }}\n⟧", "{⟦v$i: WORD,\n⟧}"), "review", "markdown"),
    **{f"changed jobs as {form}": _two(_build(96, _EDITED), "diff", form) for form in ("text", "markdown", "json", "html")},
    **{f"changed variables as {form}": _two(_build(800, _VARIABLES), "diff", form) for form in ("text", "markdown", "json", "html")},
    **{f"a review as {form}": _two(_build(60, _EDITED), "review", form) for form in ("text", "markdown", "json", "html", "sarif", "github")},
    "causes of changes": _two(_build(16, _EDITED), "diff", "text", "--why"),
    "a changed script": _two(_build(3200, PLAIN + _job("j", 'trainer: {command: [sh, -c, "⟦echo WORD $i\\n⟧"]}')), "diff", "text"),
    "a changed script with equal lines": _two(_build(120, PLAIN + _job("j", 'trainer: {command: [sh, -c, "⟦fi\\necho WORD $i\\n⟧"]}')), "diff", "text"),
    "errors of base and head": _two(_build(1000, PLAIN + "# WORD\n" + _job("j", "trainer: {env: [⟦{name: N$i, value: 1},\n⟧]}")), "review", "json"),
    "renamed jobs": _two(_build(24, PLAIN + f"⟦{_job('WORD-$i')}⟧"), "diff", "text"),
    "moved overlays": Axis(75, {f"{side}/{path}": text for side in ("old", "new") for path, text in ((".git/HEAD", "ref: refs/heads/main\n"), (f"{side}$i/overlay.yaml", _overlay("a.yaml")), (f"{side}$i/a.yaml", PLAIN + "".join(map(_job, ("j1", "j2", "j3", "j4", "j5", "j6", "j7", "j8", "j9")))))}, ("diff", "old", "new")),
    "an explained object": Axis(120, {"a.yaml": _VARIABLES}, ("explain", "JobSet/j")),
    "explained labels": Axis(6000, {"o/a.yaml": PLAIN + _job(), "o/overlay.yaml": _overlay("a.yaml", "labels: [{pairs: {⟦k$i: a,\n⟧}}]\n")}, ("explain", "-f", "o", "JobSet/j")),
    "an explained path that does not exist": Axis(1250, {"a.yaml": _VARIABLES}, ("explain", "JobSet/j", "spec.nothing")),
    "an explained template": Axis(40, _template(0, "{% set a0 = values.v %}\n⟦{% set a$i = a$h if 0 else a$h %}\n⟧" + MAP_HEAD + "data: {⟦k$i: '{{ a$i }}',\n⟧}\n").files, ("explain", "-f", "o", "ConfigMap/c")),
    "the environment of a job": Axis(200, {"a.yaml": _VARIABLES}, ("env", "TrainJob/j")),
    "migrated jobs": Axis(250, {"a.yaml": "⟦---\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: p$i}\nspec: {pytorchReplicaSpecs: {Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: 'a:1'}]}}}}}\n⟧"}, ("migrate", ".", "--diff")),
    "migrated jobs of one name": Axis(150, {"d$i/a.yaml": "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: p}\nspec: {pytorchReplicaSpecs: {Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: 'a:$i'}]}}}}}\n"}, ("migrate", ".", "--diff")),
    "migrated items of a List": Axis(400, {"a.yaml": "apiVersion: v1\nkind: List\nitems:\n⟦- apiVersion: kubeflow.org/v1\n  kind: PyTorchJob\n  metadata: {name: p$i}\n  spec: {pytorchReplicaSpecs: {Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: 'a:1'}]}}}}}\n⟧"}, ("migrate", ".", "--diff")),
    "migrated overrides of one job": Axis(800, {"a.yaml": PLAIN + _job("j", "podTemplateOverrides: [⟦{targetJobs: [{name: node}], spec: {nodeSelector: {a: b}}},\n⟧]")}, ("migrate", ".", "--diff")),
    "migrated mounts": Axis(1500, {"a.yaml": _runtime(container="volumeMounts: [⟦{name: storage-initializer, mountPath: /m$i},\n⟧]").replace("trainer.kubeflow.org/v1alpha1", "kubeflow.org/v2alpha1")}, ("migrate", ".", "--diff")),
    "models that do not exist": _build(1000, f"{_OME}kind: ClusterTrainingRuntime\nmetadata: {{name: r}}\nspec: {{template: {{spec: {{replicatedJobs: [{{name: node, template: {{spec: {{template: {{spec: {{containers: [{{name: node, image: 'a:1'}}]}}}}}}}}}}]}}}}}}\n⟦---\n{_OME}kind: ClusterBaseModel\nmetadata: {{name: m$i}}\nspec: {{storage: {{path: /m/$i}}}}\n---\n{_OME}kind: TrainingJob\nmetadata: {{name: t$i}}\nspec: {{runtimeRef: {{name: r}}, trainer: {{image: 'a:1'}}, modelConfig: {{inputModel: x$i}}, datasets: {{storageUri: 'pvc://c/p'}}}}\n⟧"),
    "built files": Axis(60, {"a.yaml": _JOBS}, ("build", "a.yaml", "-O", "out")),
}  # fmt: skip
