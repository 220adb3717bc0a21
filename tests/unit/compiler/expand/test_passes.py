"""Which pass runs for which runtime, and which variants of it run in which release: the two tables of an expansion."""

from functools import partial

import pytest

from kubectl_trainjob.compiler.expand.plan import DerivedValue, Plan
from kubectl_trainjob.compiler.versions import VERSIONS
from kubectl_trainjob.kube.facts.supported import NEXT, TRAINER_VERSIONS
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.model.stages import AdmittedObject, Manifest, ObjectId, ResolvedJob

OVERRIDES = {"podSpecOverrides", "podTemplateOverrides", "runtimePatches"}
ALWAYS_OFF = {"initializers", *OVERRIDES}
EACH_VERSION = pytest.mark.parametrize("version", VERSIONS)
SINCE = {"volcano": "2.1", "jax": "2.2", "xgboost": "2.2", "flux": "2.2"}


def admitted(kind, spec):
    body = {"metadata": {"name": "x"}, "spec": spec}
    identity = ObjectId("trainer.kubeflow.org/v1alpha1", kind, "", "x")
    return AdmittedObject(Manifest(identity, body, Source(SourceFile("x.yaml", ""))), body)


def running(version, runtime, job=None):
    command = (job or {}).get("trainer", {}).get("command")
    resolved = ResolvedJob(admitted("TrainJob", job or {}), admitted("TrainingRuntime", runtime))
    plan = Plan(resolved, Draft({}), (), DerivedValue(command), None)
    return {each.name for each in VERSIONS[version].behaviour.passes if each.applies(plan)}


RUNTIMES = [
    ({}, {"plain"}),
    ({"mlPolicy": {"numNodes": 2}}, {"plain"}),
    ({"mlPolicy": {"torch": {}}}, {"torch"}),
    ({"mlPolicy": {"mpi": {}}}, {"mpi"}),
    ({"mlPolicy": {"jax": {}}}, {"jax"}),
    ({"mlPolicy": {"xgboost": {}}}, {"plain", "xgboost"}),
    ({"mlPolicy": {"flux": {}}}, {"plain", "flux"}),
    ({"podGroupPolicy": {"coscheduling": {}}}, {"plain", "coscheduling"}),
    ({"podGroupPolicy": {"volcano": {}}}, {"plain", "volcano"}),
    (
        {"mlPolicy": {"torch": {}}, "podGroupPolicy": {"volcano": {}, "coscheduling": {}}},
        {"torch", "coscheduling", "volcano"},
    ),
]


@pytest.mark.parametrize(
    ("version", "runtime", "expected"),
    [
        (version, runtime, expected)
        for version in VERSIONS
        for runtime, expected in RUNTIMES
        if all(SINCE.get(name, version) <= version for name in expected)
    ],
)
def test_passes_of_a_runtime(version, runtime, expected):
    assert running(version, runtime) == expected


@pytest.mark.parametrize(
    ("version", "expected"), [("2.0", {"plain", "coscheduling"}), ("2.1", {"plain"}), ("2.3", {"plain"})]
)
def test_passes_of_an_empty_gang(version, expected):
    assert running(version, {"podGroupPolicy": {}}) == expected


@pytest.mark.parametrize(
    ("version", "field"),
    [
        ("2.0", "podSpecOverrides"),
        ("2.1", "podTemplateOverrides"),
        ("2.2", "runtimePatches"),
        ("2.3", "runtimePatches"),
    ],
)
def test_passes_of_a_job(version, field):
    assert "initializers" in running(version, {}, {"initializer": {}})
    assert running(version, {}, {field: [{}]}) & OVERRIDES == {field}
    assert VERSIONS[version].behaviour.overrides.field == field
    assert not running(version, {}) & ALWAYS_OFF


@pytest.mark.parametrize(
    ("version", "trainer", "runs"),
    [
        ("2.0", {"command": ["tune", "run"]}, False),
        ("2.1", {"command": ["tune", "run"]}, False),
        ("2.1", {"command": ["tune", "run"], "numProcPerNode": 1}, True),
        ("2.2", {"command": ["tune", "run"]}, True),
        ("2.3", {"command": ["tune", "run"]}, True),
        ("2.3", {"command": ["tune", "run", "full"]}, False),
    ],
)
def test_torchtune_is_checked_by_its_command(version, trainer, runs):
    found = running(version, {"mlPolicy": {"torch": {}}}, {"trainer": trainer})
    assert found == {"torch"} | ({"torchtune"} if runs else set())


def test_the_releases_are_the_supported_ones():
    assert tuple(VERSIONS) == TRAINER_VERSIONS


def name_of(function):
    while isinstance(function, partial):
        function = function.func
    return function.__name__


def variants(version):
    """Each pass with the names of its checks, and each function that fills in how a pass works."""
    passes = VERSIONS[version].behaviour.passes
    return {
        each.name: (
            tuple(name_of(check) for check in each.checks),
            tuple(name_of(part) for part in getattr(each.enforce, "args", ()) if callable(part)),
        )
        for each in passes
        if each.checks or isinstance(each.enforce, partial)
    }


EARLY_TORCH = ("word_or_number", "own_env_with_processes")
EARLY_MPI = ("number_of_processes", "both_jobs", "implementation")
FLUX = ("own_init_container", "nodes_specified", "namespace_specified")
QUEUE = {"volcano": (("has_queue_name",), ())}
LATER = {"xgboost": (("reserved_env",), ()), **QUEUE}
IGNORED = {"elasticPolicy": (("is_ignored",), ())}
PATCHES = {"runtimePatches": (("managers", "known_patched_jobs", "own_env_of_patches"), ())}
WHAT_RUNS = {
    "2.0": {
        "initializers": (("containers",), ()),
        "podSpecOverrides": (("distinct_targets", "known_targets", "own_env_of_specs"), ()),
        "torch": (EARLY_TORCH, ("overridden_by_resources",)),
        **IGNORED,
        "torchtune": (("known_model", "nodes_specified", "one_node"), ()),
        "mpi": (EARLY_MPI, ("specified_slots",)),
    },
    "2.1": {
        "initializers": (("containers",), ()),
        "podTemplateOverrides": (("known_targets", "own_env_of_templates"), ()),
        "torch": (EARLY_TORCH, ("words_counted",)),
        **IGNORED,
        "torchtune": (("known_model", "nodes_specified", "one_node", "qlora_device"), ()),
        "mpi": (EARLY_MPI, ("slots",)),
        **QUEUE,
    },
    "2.2": {
        "initializers": (("containers",), ()),
        **PATCHES,
        "torch": (("reserved_env",), ("specified_or_counted",)),
        "torchtune": (("known_model", "one_node", "qlora_device"), ()),
        "mpi": (("both_jobs", "implementation"), ("slots",)),
        "jax": (("trainer_step",), ()),
        "flux": (FLUX, ()),
        **LATER,
    },
    "2.3": {
        "initializers": (("containers_and_mounts",), ()),
        **PATCHES,
        "torch": (("injection_targets", "reserved_env"), ("specified_or_counted",)),
        "torchtune": (
            ("known_model", "one_node", "no_adapter_across_nodes", "qlora_device", "unmanaged_args"),
            (),
        ),
        "mpi": (("both_jobs", "reserved_env", "implementation"), ("slots",)),
        "flux": (("processes", *FLUX), ()),
        **LATER,
    },
}
WHAT_RUNS |= {"2.2.0": WHAT_RUNS["2.2"], NEXT: WHAT_RUNS["2.3"]}


@EACH_VERSION
def test_variants_of_a_release(version):
    assert variants(version) == WHAT_RUNS[version]


@EACH_VERSION
def test_names_are_unique(version):
    behaviour = VERSIONS[version].behaviour
    for parts in (behaviour.passes, behaviour.builders):
        assert len({each.name for each in parts}) == len(parts)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.0", {"coscheduling", "mpi"}),
        ("2.1", {"coscheduling", "volcano", "mpi"}),
        ("2.2", {"coscheduling", "volcano", "mpi", "flux"}),
        ("2.3", {"coscheduling", "volcano", "mpi", "flux"}),
    ],
)
def test_builders_of_a_release(version, expected):
    assert {each.name for each in VERSIONS[version].behaviour.builders} == expected
