"""Every recorded case of OME TrainingJobs and of sweeps: the same objects, or an error at one of the named places."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from kubectl_trainjob.frontends.tuning.generate import random
from kubectl_trainjob.frontends.tuning.space import read_space
from kubectl_trainjob.frontends.tuning.trials import canonical, short_hash
from kubectl_trainjob.model.source import Place, Source, SourceFile
from tests.conformance.ome.cases import Case, cases, problems
from tests.loops import for_each, sampled

SEED_BLOCKS = {name: case for name, case in cases().items() if name.startswith("seed/")}
OTHERS = {name: case for name, case in cases().items() if name not in SEED_BLOCKS}


def check(case: Case) -> None:
    with tempfile.TemporaryDirectory() as root:
        assert list(problems(case, Path(root))) == []


@pytest.mark.parametrize("name", SEED_BLOCKS)
def test_each_block_of_the_document(name: str) -> None:
    check(SEED_BLOCKS[name])


@sampled(every=8)
@for_each("case", OTHERS, at_least=280)
def test_each_case(case: Case) -> None:
    check(case)


def test_the_generator_draws_what_its_documentation_shows() -> None:
    """The three trials of the example, whose bits and hashes were computed by another program."""
    space = {
        "batch_size": {"type": "int", "min": 8, "max": 64, "step": 8},
        "dropout": {"type": "double", "values": [0.1, 0.2, 0.3, 0.4, 0.5]},
        "learning_rate": {"type": "double", "min": 0.0001, "max": 0.01, "scale": "log"},
    }
    parameters, errors = read_space(space, Place(Source(SourceFile("a.yaml", ""))))
    drawn = random(parameters, 3, "0")
    assert errors == []
    assert [(canonical(each), short_hash(each)) for each in drawn or ()] == [
        ('{"batch_size":"24","dropout":"0.4","learning_rate":"0.00023847"}', "591b1b5a"),
        ('{"batch_size":"56","dropout":"0.1","learning_rate":"0.00287185"}', "b17766ca"),
        ('{"batch_size":"24","dropout":"0.1","learning_rate":"0.00265921"}', "b9506b51"),
    ]
