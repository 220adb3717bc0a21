"""Every way in which a repository names a file or a directory, and what the named thing would hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.cli.manifests import Body, config, config_map, overlay, runtime, stream, train_job
from tests.hostile.paths_program import CANARY

PLAIN = stream(config_map("plain"))
JOB = stream(train_job("job", "wanted"))
SECRET = stream(config_map("secret", password=CANARY))
PATCH = f"metadata: {{labels: {{password: {CANARY}}}}}\n"
TEMPLATE = f"{{# {CANARY} #}}{SECRET}"


def _runtime() -> str:
    return stream(runtime("wanted") | {"metadata": {"name": "wanted", "labels": {"password": CANARY}}})


def _over(*resources: str, **settings: object) -> str:
    return stream(*overlay(*resources, **settings))


def _targeted(path: str) -> list[Body]:
    return [{"target": {"kind": "ConfigMap"}, "path": path}]


@dataclass(frozen=True)
class Way:
    """`slot` is the path of what is named, `files` what the repository has besides, `arguments` those of the build,
    `content` what the slot would hold (of a directory: its files).
    """

    slot: str
    arguments: tuple[str, ...]
    content: str | Mapping[str, str] = SECRET
    files: Mapping[str, str] = field(default_factory=dict)


_OVER = "overlays/o/overlay.yaml"

FILE_WAYS = {
    "file of a directory": Way("jobs/x.yaml", ("jobs",), files={"jobs/a.yaml": PLAIN}),
    "file of the repository": Way("jobs/x.yaml", (), files={"jobs/a.yaml": PLAIN}),
    "runtime": Way("runtimes/x.yaml", ("jobs",), _runtime(), {"jobs/a.yaml": JOB}),
    "runtime of a setting": Way(
        "own/rt/x.yaml",
        ("jobs",),
        _runtime(),
        {"jobs/a.yaml": JOB, "trainjob.yaml": stream(*config(runtimes=["own/rt"]))},
    ),
    "trainjob.yaml": Way("trainjob.yaml", ("jobs",), stream(*config(emit=CANARY)), {"jobs/a.yaml": PLAIN}),
    "trainjob.yaml, no PATH": Way("trainjob.yaml", (), stream(*config(ignore=[CANARY])), {"jobs/a.yaml": PLAIN}),
    "overlay.yaml": Way(
        _OVER, ("overlays/o",), _over("a.yaml", annotations={"a": CANARY}), {"overlays/o/a.yaml": PLAIN}
    ),
    "nested overlay.yaml": Way(
        "overlays/b/overlay.yaml",
        ("overlays/o",),
        _over("a.yaml", annotations={"a": CANARY}),
        {_OVER: _over("../b"), "overlays/b/a.yaml": PLAIN},
    ),
    "resource": Way("overlays/o/x.yaml", ("overlays/o",), files={_OVER: _over("x.yaml")}),
    "file of a resource": Way("base/x.yaml", ("overlays/o",), files={_OVER: _over("../../base")}),
    "template": Way("overlays/o/x.yaml.j2", ("overlays/o",), TEMPLATE, {_OVER: _over("x.yaml.j2")}),
    "template of a resource": Way(
        "base/x.yaml.j2", ("overlays/o",), TEMPLATE, {_OVER: _over("../../base", "../../base/x.yaml.j2")}
    ),
    "patch": Way(
        "overlays/o/p.yaml",
        ("overlays/o",),
        PATCH,
        {_OVER: _over("a.yaml", patches=_targeted("p.yaml")), "overlays/o/a.yaml": PLAIN},
    ),
}

DIRECTORY_WAYS = {
    "directory of a directory": Way("jobs/x", ("jobs",), {"x.yaml": SECRET}, {"jobs/a.yaml": PLAIN}),
    "directory of the repository": Way("x", (), {"x.yaml": SECRET}, {"jobs/a.yaml": PLAIN}),
    "runtimes": Way("runtimes", ("jobs",), {"x.yaml": _runtime()}, {"jobs/a.yaml": JOB}),
    "runtimes of a setting": Way(
        "own/rt",
        ("jobs",),
        {"x.yaml": _runtime()},
        {"jobs/a.yaml": JOB, "trainjob.yaml": stream(*config(runtimes=["own/rt"]))},
    ),
    "above runtimes of a setting": Way(
        "own",
        ("jobs",),
        {"rt": ""},
        {"jobs/a.yaml": JOB, "trainjob.yaml": stream(*config(runtimes=["own/rt"]))},
    ),
    "resource": Way("base", ("overlays/o",), {"x.yaml": SECRET}, {_OVER: _over("../../base")}),
    "above a resource": Way("base", ("overlays/o",), {"x.yaml": SECRET}, {_OVER: _over("../../base/x.yaml")}),
    "directory of a resource": Way("base/x", ("overlays/o",), {"x.yaml": SECRET}, {_OVER: _over("../../base")}),
    "nested overlay": Way(
        "overlays/b",
        ("overlays/o",),
        {"overlay.yaml": _over("x.yaml"), "x.yaml": SECRET},
        {_OVER: _over("../b")},
    ),
    "above a template": Way("base", ("overlays/o",), {"x.yaml.j2": TEMPLATE}, {_OVER: _over("../../base/x.yaml.j2")}),
    "above a patch": Way(
        "patches",
        ("overlays/o",),
        {"p.yaml": PATCH},
        {_OVER: _over("a.yaml", patches=_targeted("../../patches/p.yaml")), "overlays/o/a.yaml": PLAIN},
    ),
}

# What a person names. Links are followed here unless they lead out of the repository.
FOUND_DIRECTORIES = ("jobs/x", "x", "base/x")
"""The slots of directories that only reading finds: it skips links there."""

NAMED_FILE_WAYS = {
    "PATH": Way("jobs/x.yaml", ("jobs/x.yaml",)),
    "-f": Way("jobs/x.yaml", ("-f", "jobs/x.yaml")),
    "overlay.yaml by name": Way(
        _OVER, (_OVER,), _over("a.yaml", annotations={"a": CANARY}), {"overlays/o/a.yaml": PLAIN}
    ),
}
NAMED_DIRECTORY_WAYS = {
    "PATH": Way("jobs", ("jobs",), {"x.yaml": SECRET}),
    "above PATH": Way("jobs", ("jobs/x.yaml",), {"x.yaml": SECRET}),
    "overlay's directory": Way("overlays/o", ("overlays/o",), {"overlay.yaml": _over("x.yaml"), "x.yaml": SECRET}),
    "above overlay's directory": Way("overlays", ("overlays/o",), {"o": ""}),
}

_IGNORING = {"jobs/a.yaml": PLAIN, "trainjob.yaml": stream(*config(ignore=["charts/*"]))}
IGNORED_FILE_WAYS = {"ignored": Way("charts/x.yaml", (), files=_IGNORING)}
IGNORED_DIRECTORY_WAYS = {"ignored": Way("charts/x.yaml", (), {"x.yaml": SECRET}, _IGNORING)}

# Where it is looked up whether an overlay lists a template, which is an error if none does.
LISTING_WAYS = {
    "listing": Way(
        "overlays/other/overlay.yaml",
        ("jobs",),
        _over("../../jobs/t.yaml.j2"),
        {"jobs/t.yaml.j2": f"# kind: TrainJob\n{TEMPLATE}"},
    )
}
