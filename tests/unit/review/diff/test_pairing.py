"""Which object is which: by table, for real overlays, and for recorded inputs under other names."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_trainjob.compiler.prepare import prepare
from kubectl_trainjob.model.source import Place, Source, SourceFile
from kubectl_trainjob.model.stages import Body, BuildOptions, Manifest, identity_of
from kubectl_trainjob.review.diff.changes import ComparedJob
from kubectl_trainjob.review.diff.pairing import Pair, pair_jobs, pair_made, pair_objects
from kubectl_trainjob.review.diff.renames import PlainObject, guess_renames
from tests.conformance.cases import FOLDER, load, read_lines
from tests.loops import for_each, sampled
from tests.reading import read

V1 = "example.com/v1"
TRAIN_JOB = "trainer.kubeflow.org/v1alpha1", "TrainJob"
FILES: dict[str, SourceFile] = {}


def thing(
    name: str = "", /, *at: Any, namespace: str = "", kind: str = "Thing", api_version: str = V1, **spec: Any
) -> PlainObject:
    """An object; `at` are the file and document it stands in."""
    metadata = {
        **({"name": name} if name else {"generateName": "x-"}),
        **({"namespace": namespace} if namespace else {}),
    }
    body = {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
    return PlainObject(identity_of(body), body, _source(*at) if at else None)


def _source(path: str, document: int = 0) -> Source:
    return Source(FILES.setdefault(path, SourceFile(path, "")), document)


def shown(pairs: list[Pair[PlainObject]]) -> list[str]:
    """`old > new why`, by name."""
    sides = ([each.identity.name if each else "-" for each in (pair.old, pair.new)] for pair in pairs)
    return [f"{' > '.join(names)} {pair.by or ''}".rstrip() for names, pair in zip(sides, pairs, strict=True)]


RICH = {"image": "i", "args": ["--lr=1", "--wd=0"], "nodes": 4, "env": {"A": "1", "B": "2"}, "queue": "q"}
LONG: dict[str, Any] = {f"k{index}": index for index in range(60)}
OTHER = {"image": "j", "args": ["serve"], "nodes": 1, "env": {"C": "1"}, "queue": "r"}


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        pytest.param([thing("a", x=1)], [thing("a", **OTHER)], ["a > a identity"], id="identity"),
        pytest.param(
            [thing("a", api_version="example.com/v1alpha1")],
            [thing("a", api_version="example.com/v1beta1", x=1)],
            ["a > a version"],
            id="another version",
        ),
        pytest.param(
            [thing("a", api_version=f"example.com/{version}", x=1) for version in ("v1", "v2")],
            [thing("a", api_version=f"example.com/{version}", x=1) for version in ("v2", "v3")],
            ["a > a identity", "a > a version"],
            id="identity before version",
        ),
        pytest.param(
            [thing("a", api_version="scheduling.volcano.sh/v1", kind="PodGroup", **RICH)],
            [thing("a", api_version="scheduling.x-k8s.io/v1", kind="PodGroup", **RICH)],
            ["a > -", "- > a"],
            id="another group is another kind",
        ),
        pytest.param(
            [thing("a", **RICH)],
            [thing("a", namespace="n", **RICH)],
            ["a > a guess"],
            id="a namespace is another object",
        ),
        pytest.param([thing("a", x=1)], [thing("a", namespace="n", x=2)], ["a > -", "- > a"], id="and another content"),
        pytest.param([thing("a", **RICH)], [thing("b", **RICH)], ["a > b guess"], id="renamed"),
        pytest.param(
            [thing("a", **RICH)], [thing("b", **{**RICH, "nodes": 8})], ["a > b guess"], id="renamed and changed"
        ),
        pytest.param([thing("a", **RICH)], [thing("b", **OTHER)], ["a > -", "- > b"], id="nothing in common"),
        pytest.param(
            [thing("a", "f", x=1, y=2)], [thing("b", "f", x=1, y=3)], ["a > b guess"], id="in the same document"
        ),
        pytest.param(
            [thing("a", "f", x=1, y=2)], [thing("b", "g", x=1, y=3)], ["a > -", "- > b"], id="in another document"
        ),
        pytest.param([thing("a", "f", **RICH)], [thing("b", "f", **OTHER)], ["a > -", "- > b"], id="only the document"),
        pytest.param([thing("a", **RICH)], [thing("b", kind="Else", **RICH)], ["a > -", "- > b"], id="another kind"),
        pytest.param(
            [thing("a", **RICH)],
            [thing("b", **RICH), thing("c", **RICH)],
            ["a > -", "- > b", "- > c"],
            id="two candidates",
        ),
        pytest.param(
            [thing("a", **LONG)],
            [thing("b", **LONG, x=1), thing("c", **LONG, x=1, y=2)],
            ["a > -", "- > b", "- > c"],
            id="two candidates, one a little better",
        ),
        pytest.param(
            [thing("a", **RICH)],
            [thing("b", **RICH), thing("c", **{**RICH, "image": "j", "queue": "r"})],
            ["a > b guess", "- > c"],
            id="two candidates, one better",
        ),
        pytest.param(
            [thing("a", "f", **RICH)],
            [thing("b", "f", **RICH), thing("c", "g", **RICH)],
            ["a > b guess", "- > c"],
            id="two candidates, one where it was",
        ),
        pytest.param(
            [thing("train-small", **RICH), thing("train-large", **RICH)],
            [thing("large-v2", **RICH), thing("small-v2", **RICH)],
            ["train-large > large-v2 guess", "train-small > small-v2 guess"],
            id="the same content, told apart by names",
        ),
        pytest.param(
            [thing("job-a", path="/data/job-a", host="job-a-0.job-a", image="i")],
            [thing("job-b", path="/data/job-b", host="job-b-0.job-b", image="i")],
            ["job-a > job-b guess"],
            id="its own name is no difference",
        ),
        pytest.param(
            [thing("a", script="\n".join("abcdefgh"))],
            [thing("b", script="\n".join("abcdxfgh"))],
            ["a > b guess"],
            id="a text line by line",
        ),
        pytest.param([thing("a")], [thing("b")], ["a > -", "- > b"], id="nothing said"),
        pytest.param([thing("a", "f")], [thing("b", "f")], ["a > b guess"], id="nothing said at one place"),
        pytest.param(
            [thing("a", x=1), thing("b", **OTHER), thing("c", x=3)],
            [thing("x", **RICH), thing("c", x=3), thing("a", x=1)],
            ["- > x", "c > c identity", "a > a identity", "b > -"],
            id="order",
        ),
        pytest.param(
            [thing(x=1), thing(x=2), thing(x=3)],
            [thing(x=0), thing(x=2), thing(x=3)],
            [" >  identity"] * 3,
            id="generated names by content first",
        ),
        pytest.param([thing("a", x=1)] * 2, [thing("a", x=1)], ["a > a identity", "a > -"], id="twice"),
        pytest.param([], [], [], id="nothing"),
    ],
)
def test_objects(old, new, pairs):
    found = pair_objects(old, new)
    assert shown(found) == pairs
    _check_whole(found, old, new)


def test_generated_names():
    old, new = [thing(x=each) for each in (1, 2, 3)], [thing(x=each) for each in (0, 3, 1)]
    specs = [tuple(side.body["spec"]["x"] for side in pair[:2]) for pair in pair_objects(old, new) if all(pair[:2])]
    assert specs == [(2, 0), (3, 3), (1, 1)]


def _check_whole(pairs: list[Pair[Any]], old: list[Any], new: list[Any]) -> None:
    """Each object is there once, and the new ones in their order."""
    assert Counter(id(pair.old) for pair in pairs if pair.old) == Counter(map(id, old))
    assert [id(pair.new) for pair in pairs if pair.new] == list(map(id, new))
    assert all((pair.by is None) == (pair.old is None or pair.new is None) for pair in pairs)


_things = st.lists(
    st.builds(
        lambda name, namespace, version, spec: thing(
            name, namespace=namespace, api_version=f"example.com/{version}", **spec
        ),
        st.sampled_from(["", "a", "b", "c-1", "c-2"]),
        st.sampled_from(["", "n"]),
        st.sampled_from(["v1", "v2"]),
        st.dictionaries(st.sampled_from("xyz"), st.sampled_from([1, 2, "a"])),
    ),
    max_size=8,
)


@given(old=_things, new=_things)
def test_each_object_once(old, new):
    pairs = pair_objects(old, new)
    _check_whole(pairs, old, new)
    mirrored = {(id(pair.new), id(pair.old)) for pair in pair_objects(new, old) if pair.by == "guess"}
    assert mirrored == {(id(pair.old), id(pair.new)) for pair in pairs if pair.by == "guess"}
    for pair in pairs:
        if pair.old and pair.new and pair.by != "guess":
            assert (pair.by == "identity") == (pair.old.identity == pair.new.identity)
    mine = Counter(each.identity for each in old) & Counter(each.identity for each in new)
    assert sum(pair.by == "identity" for pair in pairs) == mine.total()


def compiled(name: str, *suffixes: str, hashed_by: str = "", **spec: Any) -> ComparedJob:
    """A TrainJob and the ConfigMaps that it becomes."""
    printed = thing(name, f"{name}.yaml", api_version=TRAIN_JOB[0], kind=TRAIN_JOB[1], **spec)
    assert printed.source
    name_hash = Place(_source(hashed_by), ("nameHash",)) if hashed_by else None
    objects: list[Body] = [thing(name, api_version="jobset.x-k8s.io/v1alpha2", kind="JobSet").body]
    objects += [thing(name + suffix, api_version="v1", kind="ConfigMap").body for suffix in suffixes]
    return ComparedJob(Manifest(printed.identity, printed.body, printed.source, name_hash), None, tuple(objects))


def test_made_objects_follow_their_jobs():
    old, new = compiled("a", "-mpi-hostfile", "-x", **RICH), compiled("b", "-mpi-hostfile", "-y", **RICH)
    (jobs,) = pair_jobs([old], [new])
    assert jobs == (old, new, "guess")
    assert shown(pair_made(jobs)) == [
        "a > b guess",
        "a-mpi-hostfile > b-mpi-hostfile guess",
        "a-x > -",
        "- > b-y",
    ]
    assert shown(pair_made(Pair(old, None))) == ["a > -", "a-mpi-hostfile > -", "a-x > -"]
    assert shown(pair_made(Pair(None, new))) == ["- > b", "- > b-mpi-hostfile", "- > b-y"]


def test_made_objects_of_another_version():
    old, new = compiled("a"), compiled("a")
    later = [{**body, "apiVersion": "jobset.x-k8s.io/v1"} for body in new.objects]
    (jobs,) = pair_jobs([old], [ComparedJob(new.manifest, None, tuple(later))])
    assert jobs.by == "identity"
    assert shown(pair_made(jobs)) == ["a > a version"]


_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: {name}}}
spec:
  runtimeRef: {{name: torch-distributed}}
  trainer: {{image: "{image}", numNodes: {nodes}, command: [python, {name}.py]}}
"""
_OVERLAY = "apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Overlay\nresources: [../jobs]\n"


def _side(root: Path, jobs: dict[str, tuple[str, int]], **overlays: str) -> list[ComparedJob]:
    """The TrainJobs of a repository with these jobs (image and nodes) under each of the overlays."""
    (root / "jobs").mkdir(parents=True)
    (root / "trainjob.yaml").write_text("apiVersion: kubectl-trainjob.dev/v1alpha1\nkind: Config\n")
    for name, (image, nodes) in jobs.items():
        (root / "jobs" / f"{name}.yaml").write_text(_JOB.format(name=name, image=image, nodes=nodes))
    for name, settings in overlays.items():
        (root / name).mkdir()
        (root / name / "overlay.yaml").write_text(_OVERLAY + settings)
    documents = read([str(root / name) for name in overlays], lambda _: b"")
    prepared = prepare(documents, BuildOptions())
    assert not prepared.findings
    return [ComparedJob(job.manifest, None) for job in prepared.jobs]


def _why(pairs: list[Pair[ComparedJob]]) -> list[tuple[str, str, str | None]]:
    """Both names, a hash as `#`."""
    names = ([_name(each) for each in pair[:2]] for pair in pairs)
    return sorted((old, new, pair.by) for (old, new), pair in zip(names, pairs, strict=True))


def _name(side: Any) -> str:
    if side is None:
        return "-"
    name = str(side.manifest.id.name)
    return name[:-10] + "#" if side.manifest.name_hash else name


HASH = "nameHash: true\n"


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        pytest.param({"o": HASH}, {"o": HASH}, [("a-#", "a-#", "name hash"), ("b-#", "b-#", "identity")], id="hashed"),
        pytest.param({"o": ""}, {"o": HASH}, [("a", "a-#", "name hash"), ("b", "b-#", "name hash")], id="hashed now"),
        pytest.param(
            {"o": HASH}, {"o": ""}, [("a-#", "a", "name hash"), ("b-#", "b", "name hash")], id="hashed before"
        ),
        pytest.param(
            {"o": "nameSuffix: -x\n" + HASH, "p": HASH},
            {"o": "nameSuffix: -x\n" + HASH, "p": HASH},
            [
                ("a-#", "a-#", "name hash"),
                ("a-x-#", "a-x-#", "name hash"),
                ("b-#", "b-#", "identity"),
                ("b-x-#", "b-x-#", "identity"),
            ],
            id="two overlays of two names",
        ),
        pytest.param(
            {"o": "nameSuffix: -x\n"},
            {"o": "nameSuffix: -y\n"},
            [("a-x", "a-y", "guess"), ("b-x", "b-y", "guess")],
            id="suffix",
        ),
        pytest.param(
            {"o": ""}, {"o": "namespace: team\n"}, [("a", "a", "guess"), ("b", "b", "guess")], id="moved to a namespace"
        ),
    ],
)
def test_overlays(tmp_path, old, new, pairs):
    jobs = {"a": ("x", 2), "b": ("y", 4)}
    before = _side(tmp_path / "old", jobs, **old)
    after = _side(tmp_path / "new", {**jobs, "a": ("x", 3)}, **new)
    found = pair_jobs(before, after)
    assert _why(found) == pairs
    _check_whole(found, before, after)


def test_one_name_under_several_hashes():
    """Two overlays hash the same job: the overlay says which is which, else it is a guess."""
    old = [_hashed("1", "o", lr=1), _hashed("2", "p", lr=1)]
    new = [_hashed("3", "p", lr=1), _hashed("4", "o", lr=1)]
    assert {(pair.old, pair.new, pair.by) for pair in pair_jobs(old, new)} == {
        (old[0], new[1], "name hash"),
        (old[1], new[0], "name hash"),
    }
    assert {pair.by for pair in pair_jobs(old, [_hashed("3", "o", **OTHER), _hashed("4", "o", **OTHER)])} == {None}


def _hashed(digest: str, overlay: str, **spec: Any) -> ComparedJob:
    from kubectl_trainjob.model.edited_object import edited_object

    job = compiled("a", hashed_by=overlay, **spec)
    name = f"a-{digest * 10}"
    body = {**job.manifest.body, "metadata": {"name": name}}
    return ComparedJob(edited_object(job.manifest, body, {}, ()), None)


@sampled(every=3)
@for_each("update", {each["name"]: each for each in read_lines(FOLDER / "updates.jsonl.xz")}, at_least=271)
def test_recorded_updates_are_updates(update):
    sides = [_jobs_of(update[side]) for side in ("old", "new")]
    pairs = pair_jobs(*sides)
    assert [(pair.old.manifest.id, pair.by) for pair in pairs if pair.old] == [
        (job.manifest.id, "identity") for job in sides[1]
    ]


def _jobs_of(text: str) -> list[ComparedJob]:
    prepared = prepare(read(["-"], lambda _: text.encode()), BuildOptions())
    return [ComparedJob(job.manifest, None) for job in prepared.jobs]


@pytest.mark.slow
def test_recorded_jobs_under_other_names():
    """Each recorded TrainJob that says something of its own gets a name that says nothing, and one in three another
    number of nodes: no guess is wrong, and few are missing.
    """
    chance = random.Random(0)
    old = list({_said(job): job for case in load("2.3") if case.group == "own" for job in _bodies(case.input)}.values())
    new = [_renamed(body, index, chance) for index, body in enumerate(old)]
    places = chance.sample(range(len(new)), len(new))
    pairs = guess_renames(
        *([PlainObject(identity_of(body), body) for body in side] for side in (old, [new[i] for i in places]))
    )
    assert len(old) > 200
    assert [(old[i], new[places[j]]) for i, j in pairs if places[j] != i] == []
    assert len(pairs) >= 0.8 * len(old)


def _said(job: Body) -> str:
    metadata = {key: value for key, value in job["metadata"].items() if key not in ("name", "namespace")}
    return json.dumps([metadata, job["spec"]], sort_keys=True)


def _bodies(text: str) -> list[Body]:
    return [job.manifest.body for job in _jobs_of(text)]


def _renamed(body: Body, index: int, chance: random.Random) -> Body:
    body = {**body, "metadata": {**body["metadata"], "name": f"z{index}"}}
    if chance.random() < 1 / 3:
        body["spec"] = {**body["spec"], "trainer": {**(body["spec"].get("trainer") or {}), "numNodes": 77}}
    return body


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        pytest.param(lambda index: {"seed": index, **RICH}, 1000, id="one value each"),
        pytest.param(lambda index: {f"k{n}": (index >> n) & 1 for n in range(10)}, 1000, id="common values only"),
        pytest.param(lambda index: {f"k{n}": index // 8 * n for n in range(100)}, 8, id="values of eight"),
    ],
)
def test_a_thousand_of_each(spec, count):
    """The numbers in the names mislead, save in the middle, where eight objects say the same."""
    old = [thing(f"a{index}", **spec(index)) for index in range(1000)]
    new = [thing(f"b{999 - index}", **spec(index)) for index in reversed(range(1000))]
    found = guess_renames(old, new)
    assert len(found) == count
    assert all(old[i].body["spec"] == new[j].body["spec"] for i, j in found)


@pytest.mark.slow
def test_the_same_guesses_each_time():
    """Whatever the seed of the hashes is."""
    program = """
from tests.unit.review.diff.test_pairing import *
chance = random.Random(1)
def side(s):
    return [thing(f"{s}-{i % 7}-{i}", **{c: chance.randrange(3) for c in "abcdefgh"}) for i in range(80)]
sides = [side(s) for s in "xy"]
print(guess_renames(*sides))
"""
    reported = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env).stdout
        for env in ({"PYTHONHASHSEED": str(seed), "PYTHONPATH": "."} for seed in range(4))
    }
    assert len(reported) == 1
    assert reported != {"[]\n"}
