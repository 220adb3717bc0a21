"""Questions about Kubernetes' API arithmetic and the answers that upstream's own packages gave.

`python -m tests.unit.kube.facts.vectors` records them anew (it needs Go): data/NAME.json.gz holds pairs of question and
answer, the recorder's go.mod says from which versions. The `go` tests ask the same kinds of questions live.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from kubectl_trainjob.kube.facts import types
from tests.conformance import upstream
from tests.unit.kube.facts.objects import Objects

DATA = Path(__file__).parent / "data"
JOBSET_SPEC = "jobset/v1alpha2.JobSetSpec"
MARSHALLED = ("trainer/v1alpha1.JobSetSpecPatch", "trainer/v1alpha1.TrainJobSpec", "core/v1.PodSpec", JOBSET_SPEC)

_SUFFIXES = (
    *(
        "",
        "",
        "n",
        "u",
        "m",
        "k",
        "M",
        "G",
        "T",
        "P",
        "E",
        "Ki",
        "Mi",
        "Gi",
        "Ti",
        "Pi",
        "Ei",
        "e3",
        "E6",
        "e-3",
        "e+2",
    ),
    *(
        "e0",
        "e-9",
        "e-12",
        "e12",
        "e20",
        "e1",
        "E-0",
        "e03",
        "i",
        "K",
        "e",
        "mm",
        "e5.",
        "e4294967299",
        "e9" + "9" * 19,
    ),
)
_AMOUNTS = (
    "1",
    "0",
    "0.5",
    "1500m",
    "1.5Gi",
    "1024Mi",
    "2e3",
    "100Ki",
    "0.1Gi",
    "+3",
    "1.500",
    "12E",
    "9E",
    "7Ei",
    "1n",
)
_RESOURCES = ("cpu", "memory", "nvidia.com/gpu", "hugepages-2Mi", "ephemeral-storage", "example.com/foo")


def spelling(pick: Random) -> str:
    """A text that is a quantity, or nearly."""
    if pick.random() < 0.1:
        return "".join(pick.choice("0123456789.+-eEinumkKMGTP ") for _ in range(pick.randrange(7)))
    whole = _digits(pick, pick.choice((0, 1, 1, 2, 3, 4, 6, 9, 12, 15, 17, 18, 19, 20, 25)))
    zeros = "0" * pick.choice((0, 0, 0, 0, 1, 2, 3, 6))
    fraction = "." + _digits(pick, pick.choice((0, 1, 2, 3, 3, 6, 9, 10, 12))) if pick.random() < 0.4 else ""
    return pick.choice(("", "", "", "+", "-")) + whole + zeros + fraction + pick.choice(_SUFFIXES)


def _digits(pick: Random, count: int) -> str:
    return "".join(pick.choice("0123456789") for _ in range(count))


def quantity(seed: int) -> dict[str, Any]:
    """One quantity, or a sum of some, each times something."""
    pick = Random(seed)
    if seed % 2:
        return {"terms": [{"quantity": spelling(pick)}]}
    factors = (1, 1, 2, 3, 8, -1, 0, 1000, 12345678901)
    spellings = (pick.choice(_AMOUNTS) if pick.random() < 0.5 else spelling(pick) for _ in range(pick.randrange(1, 5)))
    return {"terms": [{"quantity": text, "times": pick.choice(factors)} for text in spellings]}


def pod_requests(seed: int) -> dict[str, Any]:
    """A PodSpec with requests everywhere."""
    pick = Random(seed)
    containers = [_container(pick) for _ in range(pick.randrange(5))]
    starting = [_container(pick) for _ in range(pick.choice((0, 0, 1, 2, 3)))]
    for container in starting:
        container["restartPolicy"] = pick.choice(("Always", "OnFailure"))
    pod: dict[str, Any] = {"containers": containers, "initContainers": starting}
    if pick.random() < 0.3:
        pod["resources"] = _resources(pick)
    if pick.random() < 0.3:
        pod["overhead"] = _resources(pick)["requests"]
    return pod


def _container(pick: Random) -> dict[str, Any]:
    return {"name": "a", "resources": _resources(pick)} if pick.random() < 0.9 else {"name": "a"}


def _resources(pick: Random) -> dict[str, Any]:
    return {
        field: {name: pick.choice((*_AMOUNTS, 2, "-1")) for name in pick.sample(_RESOURCES, pick.randrange(5))}
        for field in ("requests", "limits")
    }


def merge(seed: int) -> dict[str, Any]:
    """Two JobSetSpecs with some replicatedJobs in common; the patch of every third says $patch here and there."""
    pick = Random(seed)
    names = ("node", "launcher", "initializer")
    original, patch = (
        Objects(2 * seed + part).jobset_spec(pick.sample(names, pick.randrange(1, 3))) for part in (0, 1)
    )
    written = types.canonical(original, JOBSET_SPEC) if seed % 2 else types.marshal(original, JOBSET_SPEC)
    specified = types.marshal(patch, JOBSET_SPEC)
    return {"original": written, "patch": Objects(seed).with_directives(specified) if seed % 3 == 0 else specified}


def applied(seed: int) -> dict[str, Any]:
    """A JobSetSpec as a user may write it."""
    return Objects(seed).jobset_spec(("node", "")[: seed % 3])


def marshalled(seed: int) -> dict[str, Any]:
    """A value for one of some structs."""
    name = MARSHALLED[seed % len(MARSHALLED)]
    return {"type": name, "value": Objects(seed).struct(name)}


def number(seed: int) -> Any:
    """A number of JSON."""
    pick = Random(seed)
    return pick.choice(
        (
            pick.random(),
            pick.randrange(-5, 10 ** pick.randrange(1, 25)),
            pick.random() * 10 ** pick.randrange(-12, 26),
            round(pick.random() * 100, 2),
            float(pick.randrange(10**17)),
        )
    )


_DIGITS = "0123456789abcdef" * 4
_IMAGE_PARTS = (
    *(
        "a",
        "Ab",
        "acme",
        "Acme",
        "a_b",
        "a__b",
        "a___b",
        "a..b",
        "a--b",
        "-a",
        "a-",
        "a.",
        "b" * 256,
        _DIGITS,
        "",
        "a b",
    ),
    *("ghcr.io", "localhost", "localhost:5000", "r:1", "r:x", "[::1]:5000", "docker.io", "index.docker.io", "REG.IO"),
    *("1.4", "latest", "T-1_2.3", "_x", "-x", "x" * 128, "x" * 129, "$(IMAGE)", "<image>", "https://", "\u00fc"),
    *(f"sha256:{_DIGITS}", f"sha256:{_DIGITS.upper()}", "sha256:abc", f"sha512:{_DIGITS * 2}", f"md5:{_DIGITS[:32]}"),
)


def image(seed: int) -> str:
    """A text that is a reference to an image, or nearly."""
    pick = Random(seed)
    if pick.random() < 0.3:
        return "".join(pick.choice("aA1._-/:@[ ]") for _ in range(pick.randrange(10)))
    parts = (pick.choice(_IMAGE_PARTS) + pick.choice(("/", "/", ":", "@", "")) for _ in range(pick.randrange(3)))
    return "".join(parts) + pick.choice(_IMAGE_PARTS)


# Name -> how a seed makes a question, the recorder's folder and mode, how many questions are recorded.
KINDS: dict[str, tuple[Callable[[int], Any], str, str, int]] = {
    "quantity": (quantity, ".", "quantity", 3000),
    "pod_requests": (pod_requests, ".", "podrequests", 600),
    "merge": (merge, ".", "merge", 90),
    "applied": (applied, "gotypes", "applied", 90),
    "marshalled": (marshalled, "gotypes", "marshalled", 120),
    "images": (image, "images", "images", 3000),
    "numbers": (number, "gotypes", "numbers", 500),
}

Pairs = list[tuple[Any, Any]]


def live(kind: str, seeds: range) -> Pairs:
    """Questions with these seeds and what upstream answers now."""
    make, folder, mode, _ = KINDS[kind]
    questions = [make(seed) for seed in seeds]
    answers = upstream.ask(mode, questions, folder=folder)
    for answer in answers:
        if kind == "merge":
            answer.pop("typed", None)
    return list(zip(questions, answers, strict=True))


@cache
def recorded(kind: str) -> Pairs:
    """The questions and answers in the repository."""
    pairs = json.loads(gzip.decompress((DATA / f"{kind}.json.gz").read_bytes()))
    return [(question, answer) for question, answer in pairs]


def record() -> None:
    """Write all of data/ anew."""
    DATA.mkdir(exist_ok=True)
    for kind, (_, _, _, count) in KINDS.items():
        text = json.dumps(live(kind, range(count)), separators=(",", ":"))
        (DATA / f"{kind}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    record()
