"""Overlays, patches and settings made to grow: a few lines that cost much. Each is written into an empty repository."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cli.manifests import PLAIN, config, config_map, overlay, stream, train_job
from tests.hostile.paths_world import write

Make = Callable[[Path], object]


@dataclass(frozen=True)
class Bomb:
    """`make` writes the files; `build` of `path` prints `objects` objects, or else complains with `part`."""

    make: Make
    path: str = "o"
    objects: int = 0
    part: str = ""


def _apply_unit(*resources: str, more: str = "") -> str:
    return stream(*overlay(*resources)) + more


def _maps(count: int) -> str:
    return "---\n".join(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m{i}}}\ndata: {{}}\n" for i in range(count)
    )


def _items(key: str, items: Iterable[str]) -> str:
    return f"{key}:\n" + "".join(f"- {item}\n" for item in items)


def _one(more: str, members: str = _maps(1), files: Mapping[str, str] | None = None) -> Make:
    """An overlay `o` with some settings over some objects."""
    return lambda root: write(
        root, {"o/overlay.yaml": _apply_unit("a.yaml", more=more), "o/a.yaml": members, **(files or {})}
    )


def _chain(levels: int, times: int = 1, last: str = "a.yaml") -> Make:
    """Overlays over each other, each with the one below so many times."""

    def make(root: Path) -> None:
        for i in range(levels):
            name = "o" if i == 0 else f"o{i}"
            write(root, {f"{name}/overlay.yaml": _apply_unit(*[f"../o{i + 1}"] * times)})
        write(root, {f"o{levels}/overlay.yaml": _apply_unit(last), f"o{levels}/a.yaml": _maps(1)})

    return make


def _patches(count: int, target: str, patch: str) -> str:
    return _items(
        "patches", (f"{{target: {{{target}}}, patch: {patch}}}".replace("NUMBER", str(i)) for i in range(count))
    )


def _texts(count: int) -> str:
    return "patches:\n" + "".join(f"- target: {{name: m0}}\n  patch: |-\n    data: {{k{i}: v}}\n" for i in range(count))


def _patch_files(root: Path, count: int) -> None:
    write(root, {f"o/p{i}.yaml": _maps(1) for i in range(count)})
    _one(_items("patches", (f"path: p{i}.yaml" for i in range(count))))(root)


def _names(*parts: str) -> str:
    return "---\n".join(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n" for name in parts)


def _varied(number: int) -> str:
    """A name that shares no long beginning with others."""
    return "".join("abcd"[(number * 7919 + i * i * (number % 251 + 1)) % 4] for i in range(240)) + str(number)


def _values(count: int) -> str:
    return "values:\n" + "".join(f"  k{i}: {'v' * 50}\n" for i in range(count))


def _templates(root: Path, count: int, values: int) -> None:
    names = [f"t{i}.yaml.j2" for i in range(count)]
    write(root, {f"o/{name}": f"{_names(f'c{i}')}" for i, name in enumerate(names)})
    write(root, {"o/overlay.yaml": _apply_unit(*names, more=_values(values))})


def _labels(count: int) -> str:
    return "labels:\n- pairs:\n" + "".join(f"    l{i}: v\n" for i in range(count))


def _images(root: Path) -> None:
    jobs = stream(PLAIN, *(train_job(f"j{i}", "plain", trainer={"image": f"acme/i{i}"}) for i in range(1000)))
    _one(_items("images", (f"{{name: acme/i{i}, newTag: '2'}}" for i in range(1000))), jobs)(root)


def _pod(spec: str) -> str:
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: m0}}\nspec: {{{spec}}}\n"


def _containers(count: int) -> str:
    return _pod(f"containers: [{', '.join(f'{{name: c{i}, image: b{i}}}' for i in range(count))}]")


def _env(count: int) -> str:
    return _pod(f"containers: [{{name: c, env: [{', '.join(f'{{name: e{i}}}' for i in range(count))}]}}]")


def _runtime(count: int) -> str:
    jobs = ", ".join(f"{{name: j{i}, template: {{}}}}" for i in range(count))
    head = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: m0}\n"
    return f"{head}spec: {{template: {{spec: {{replicatedJobs: [{jobs}]}}}}}}\n"


def _front(name: str, count: int) -> str:
    """Operations at the front of a list."""
    operations = "    - {op: add, path: /spec/containers/0, value: x}\n" * count
    return f"patches:\n- target: {{name: {name}}}\n  patch:\n{operations}"


def _missing(root: Path, entries: int, beside: int) -> None:
    write(root, {"o/overlay.yaml": _apply_unit(*(f"missing{i}.yaml" for i in range(entries)))})
    write(root, {f"o/{i}.txt": "" for i in range(beside)})


def _again(root: Path, entries: int, files: int) -> None:
    """One directory, full of what is no manifest, again and again."""
    write(root, {"o/overlay.yaml": _apply_unit(*["../d"] * entries), "d/a.yaml": _maps(1)})
    write(root, {f"d/{i}.txt": "" for i in range(files)})


def _ignored(root: Path, patterns: Iterable[str], files: int) -> None:
    write(root, {"trainjob.yaml": stream(*config(ignore=list(patterns)))})
    write(root, {f"o/{'a' * 200}{i}.yaml": stream(config_map(f"c{i}")) for i in range(files)})


def _folders(root: Path) -> None:
    write(
        root, {"trainjob.yaml": stream(*config(runtimes=["own"] * 20_000)), "o/a.yaml": stream(train_job("j", "plain"))}
    )
    write(root, {"own/a.yaml": stream(PLAIN), **{f"own/{i}.txt": "" for i in range(100)}})


_SUFFIX = "{name: NAME, tagSuffix: -x}"
_ADD = "[{op: add, path: /data/kNUMBER, value: x}]"
_MERGE = "{data: {kNUMBER: x}}"
_GREEDY = f"({'(a|b|c.*|d?d?d?d?d?d?d?d?d?)' * 60})"

BOMBS = {
    "overlays that have each other twice, 30 times": Bomb(_chain(30, 2), part="error KTJ057"),
    "overlays that have each other twice, with nothing": Bomb(_chain(30, 2, "none.yaml"), part="error KTJ05"),
    "overlays that have each other 150 times": Bomb(_chain(3, 150), part="error KTJ057"),
    "60 overlays over each other": Bomb(_chain(60), objects=1),
    "1000 overlays over each other": Bomb(_chain(1000), part="error KTJ05"),
    "10 000 patches": Bomb(_one(_patches(10_000, "name: m0", _ADD)), objects=1),
    "10 000 patches, none for 1000 objects": Bomb(_one(_patches(10_000, "name: x", _ADD), _maps(1000)), part="KTJ05"),
    "10 000 patches for each of 1000 objects": Bomb(
        _one(_patches(10_000, "kind: ConfigMap", _ADD), _maps(1000)),
        part="KTJ05",
    ),
    "10 000 merge patches": Bomb(_one(_patches(10_000, "name: m0", _MERGE)), objects=1),
    "10 000 patches as text": Bomb(_one(_texts(10_000)), objects=1),
    "10 000 files with a patch": Bomb(lambda root: _patch_files(root, 10_000), objects=1),
    "1001 operations": Bomb(_one(_patches(1, "name: m0", f"[{', '.join([_ADD[1:-1]] * 1001)}]")), part="error KTJ053"),
    "a pattern that backtracks": Bomb(_one(_patches(1, "name: (a+)+$", _ADD), _names("a" * 250 + "b")), objects=1),
    "a pattern of many states": Bomb(
        _one(_patches(1, f"name: '{_GREEDY}.*'", _MERGE), _names(*(f"{'abcd' * 60}{i}" for i in range(1000)))),
        objects=1000,
    ),
    "a pattern of many states, names all different": Bomb(
        _one(_patches(1, f"name: '{_GREEDY}.*'", _MERGE), _names(*map(_varied, range(500)))), objects=500
    ),
    "100 patterns of many states, names all different": Bomb(
        _one(_patches(100, f"name: '{_GREEDY}.*NUMBER'", _MERGE), _names(*map(_varied, range(1000)))),
        part="limits.overlaySteps",
    ),
    "2000 patterns of many states": Bomb(
        _one(_patches(2000, f"name: '{_GREEDY}NUMBER'", _ADD), _names(*(f"{'abcd' * 60}{i}" for i in range(100)))),
        part="KTJ05",
    ),
    "a label selector that repeats": Bomb(_one(_patches(1, f"labelSelector: '{'a,' * 100_000}a'", _ADD)), objects=1),
    "450 000 values": Bomb(lambda root: _templates(root, 1, 450_000), objects=1),
    "50 000 values for 500 templates": Bomb(lambda root: _templates(root, 500, 50_000), part="KTJ0"),
    "100 000 labels": Bomb(_one(_labels(100_000)), objects=1),
    "100 000 labels for 1000 objects": Bomb(_one(_labels(100_000), _maps(1000)), part="KTJ05"),
    "1000 images in 1000 jobs": Bomb(_images, objects=1000),
    "5000 other images in one Pod of 5000": Bomb(
        _one(_items("images", (f"{{name: a{i}, newTag: x}}" for i in range(5000))), _containers(5000)), objects=1
    ),
    "5000 patterns for one Pod of 5000 images": Bomb(
        _one(_items("images", (f"{{name: a{i}.*, newTag: x}}" for i in range(5000))), _containers(5000)),
        part="limits.overlaySteps",
    ),
    "5000 suffixes for one image": Bomb(
        _one(_items("images", [_SUFFIX.replace("NAME", "b0")] * 5000), _containers(1)), objects=1
    ),
    "20 000 suffixes for one image by a pattern": Bomb(
        _one(_items("images", [_SUFFIX.replace("NAME", "b.*")] * 20_000), _containers(1)), part="limits.overlaySteps"
    ),
    "1000 operations at the front of 100 000 items": Bomb(
        _one(_front("m0", 1000), _containers(100_000)), part="limits.overlaySteps"
    ),
    "50 operations at the front of 100 000 items": Bomb(_one(_front("m0", 50), _containers(100_000)), objects=1),
    "1000 merge patches of a list of 100 000": Bomb(
        _one(_patches(1000, "name: m0", "{spec: {containers: [{name: c, env: [{name: nNUMBER}]}]}}"), _env(100_000)),
        part="limits.overlaySteps",
    ),
    "1000 labels for 20 000 templates": Bomb(
        _one(_labels(1000) + "  includeTemplates: true\n", _runtime(20_000)), part="limits.overlaySteps"
    ),
    "1000 operations for each of 1000 objects": Bomb(
        _one(_patches(1, "kind: ConfigMap", f"[{', '.join([_ADD[1:-1]] * 1000)}]"), _maps(1000)),
        part="limits.overlaySteps",
    ),
    "a selector of 100 000 requirements for 1000 objects": Bomb(
        _one(_patches(1, f"labelSelector: '{'!a,' * 100_000}!b'", _ADD), _maps(1000)), part="limits.overlaySteps"
    ),
    "1000 patches of objects that are not there": Bomb(
        _one(
            _items(
                "patches",
                (f"patch: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: x{_varied(i)}}}}}" for i in range(1000)),
            ),
            _names(*map(_varied, range(100))),
        ),
        part="error KTJ054",
    ),
    "5000 resources that are not there": Bomb(lambda root: _missing(root, 5000, 5000), part="error KTJ051"),
    "2000 times a full directory": Bomb(lambda root: _again(root, 2000, 5000), objects=1),
    "5000 patterns to ignore": Bomb(
        lambda root: _ignored(root, (f"**/*b*{i}*" for i in range(5000)), 1000),
        part="KTJ04",
    ),
    "40 patterns to ignore and 20 000 files": Bomb(
        lambda root: _ignored(root, (f"{'**/*' if i % 2 else ''}b*{i}*" for i in range(40)), 20_000), objects=20_000
    ),
    "a pattern to ignore that backtracks": Bomb(
        lambda root: _ignored(root, ["*a" * 120 + "*b", "**/" * 2000 + "x"], 100), objects=100
    ),
    "20 000 times a folder of runtimes": Bomb(_folders, objects=1),
}
