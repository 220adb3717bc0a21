"""The releases of Trainer that can be targeted: one row each, and all that they do differently.

A row has how a release admits TrainJobs and runtimes, and how it expands them: the passes in their order, each with the
checks and the variant of its work in that release. No stage reads the version. A new release also needs its name in
`kube/facts/supported.py` and its packaged schemas. If its API differs, change `kube/schemas/other_versions.py` (fields
that moved) and `cli/scaffold/job.py`. A field that overrides the runtime's template is listed in several places
(`kube/facts/trainer.py`, `expand/overrides.py`, `overlay/images.py`, `overlay/references.py`, `explain/steps.py`). The
tests read their recorded cases in `tests/conformance/cases.py`.

Upstream has no fixed order of plugins inside a phase: it is the order of a Go map. Two plugins may write to the same
list (env of XGBoost and Flux jobs). Ours is the order of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

from kubectl_trainjob.compiler.expand import overrides, processes
from kubectl_trainjob.compiler.expand.behaviour import Behaviour, Builder, Check, Overrides, Pass
from kubectl_trainjob.compiler.expand.builders import flux_entrypoint, hostfile, pod_group
from kubectl_trainjob.compiler.expand.nodes import has_policy, reserved_env
from kubectl_trainjob.compiler.expand.passes import (
    elastic,
    flux,
    gang,
    hydra,
    initializer_checks,
    jax,
    mpi,
    override_checks,
    plain,
    torch,
    torchtune_checks,
    xgboost,
)
from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.compiler.expand.resources_per_node import MERGED, REPLACED
from kubectl_trainjob.compiler.expand.torchtune import Torchtune, enabled_adapter, mentioned_adapter, no_adapter
from kubectl_trainjob.kube.admission.objects import Admission
from kubectl_trainjob.kube.admission.trainer import (
    runtime_problems,
    runtime_problems_in_2_0,
    runtime_problems_in_2_1,
    train_job_problems_in_2_0,
)
from kubectl_trainjob.kube.facts import trainer
from kubectl_trainjob.kube.facts.supported import NEXT, TRAINER_VERSIONS
from kubectl_trainjob.kube.facts.trainer import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from kubectl_trainjob.kube.schemas.extensions import ELASTIC, EXTENDED_MPI
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.units import AllowSettings


@dataclass(frozen=True, slots=True)
class Version:
    """One row. `keeps_off`: whether the controller ignores what another controller manages (`managedBy`)."""

    admission: Admission
    behaviour: Behaviour
    keeps_off: bool = False


TunedCheck = Callable[[Torchtune, Plan], Iterator[Diagnostic]]
Overriding = Callable[[str, Plan], Iterator[Diagnostic]]


def _overrides(field: str, *checks: Overriding) -> Pass:
    return Pass(field, partial(override_checks.applies, field), tuple(partial(check, field) for check in checks))


def _framework(kind: str, checks: tuple[Check, ...], enforce: Callable[[Plan], Plan]) -> Pass:
    return Pass(kind, partial(has_policy, kind), checks, enforce)


def _torch(checks: tuple[Check, ...], count: torch.Count, known: Torchtune) -> Pass:
    return _framework("torch", checks, partial(torch.enforce, count, known))


def _torchtune(applies: Callable[[Plan], bool], known: Torchtune, *checks: TunedCheck) -> Pass:
    return Pass("torchtune", applies, tuple(partial(check, known) for check in checks))


def _mpi(checks: tuple[Check, ...], count: mpi.Count, *, ssh_modes: bool = False) -> Pass:
    return _framework("mpi", checks, partial(mpi.enforce, count, ssh_modes))


def _pod_groups(size_of: pod_group.Sizes) -> tuple[Builder, Builder]:
    return (
        Builder("coscheduling", partial(gang.applies, "coscheduling"), partial(pod_group.coscheduling, size_of)),
        Builder("volcano", partial(gang.applies, "volcano"), partial(pod_group.volcano, size_of)),
    )


def _hostfile(replicas: hostfile.Replicas) -> Builder:
    return Builder("mpi", partial(has_policy, "mpi"), partial(hostfile.build, replicas))


_POD_SPECS = Overrides(POD_SPEC_OVERRIDES, overrides.merge_pod_specs, overrides.of_runtime_and_job)
_POD_TEMPLATES = Overrides(POD_TEMPLATE_OVERRIDES, overrides.merge_pod_templates, overrides.of_runtime_and_job)
_JOB_PATCHES = Overrides(RUNTIME_PATCHES, overrides.merge_job_templates, overrides.of_runtime_and_patches)
_SPEC_PATCHES = Overrides(RUNTIME_PATCHES, overrides.merge_spec, overrides.of_runtime_and_patches)

_RUNTIME_ARGS = frozenset({"output_dir", "tokenizer.path", "checkpointer.checkpoint_dir"})
_MODELS = ("llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B")
_TUNE_2_0 = Torchtune(("llama3_2/1B", "llama3_2/7B", "llama3_3/70B"), _RUNTIME_ARGS, no_adapter, counts_gpus=False)
_TUNE_2_1 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, mentioned_adapter, counts_gpus=True)
_TUNE_2_3 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, enabled_adapter, counts_gpus=True)
_FLUX_2_2 = flux.Setup(shared_memory=False, runtime_command=False, empty_image=True)
_FLUX_2_3 = flux.Setup(shared_memory=True, runtime_command=True, empty_image=False)

_HYDRA = Pass("hydra", hydra.applies, (hydra.namespace_specified,), hydra.enforce)

# What two or more releases have in common.
_IGNORED = Pass("elasticPolicy", elastic.applies, (elastic.is_ignored,))
_INITIALIZERS = Pass("initializers", initializer_checks.applies, (initializer_checks.containers,))
_PATCHES = _overrides(
    RUNTIME_PATCHES, override_checks.managers, override_checks.known_patched_jobs, override_checks.own_env_of_patches
)
_PLAIN = Pass("plain", plain.applies, enforce=plain.enforce)
_TORCH_ENV = partial(reserved_env, trainer.TORCH_RESERVED_ENV, rules.TORCH_RESERVED_ENV)
_MPI_ENV = partial(reserved_env, trainer.MPI_RESERVED_ENV, rules.MPI_RESERVED_ENV)
_XGBOOST_ENV = partial(reserved_env, trainer.XGBOOST_RESERVED_ENV, rules.XGBOOST_RESERVED_ENV)
_XGBOOST = _framework("xgboost", (_XGBOOST_ENV,), xgboost.enforce)
_GANGS = (
    Pass("coscheduling", partial(gang.applies, "coscheduling"), enforce=gang.label_pods),
    Pass("volcano", partial(gang.applies, "volcano"), (gang.has_queue_name,), gang.annotate_pods),
)
_EARLY_TORCH = (torch.word_or_number, torch.own_env_with_processes)
_EARLY_TUNE = (torchtune_checks.known_model, torchtune_checks.nodes_specified, torchtune_checks.one_node)
_EARLY_MPI = (mpi.number_of_processes, mpi.both_jobs, mpi.implementation)
_FLUX = (flux.own_init_container, flux.nodes_specified, flux.namespace_specified)

_MINORS: Mapping[str, Version] = {
    "2.0": Version(
        Admission("trainer-2.0", runtime=runtime_problems_in_2_0, train_job=train_job_problems_in_2_0),
        Behaviour(
            _POD_SPECS,
            passes=(
                _INITIALIZERS,
                _overrides(
                    POD_SPEC_OVERRIDES,
                    override_checks.distinct_targets,
                    override_checks.known_targets,
                    override_checks.own_env_of_specs,
                ),
                _PLAIN,
                _torch(_EARLY_TORCH, processes.overridden_by_resources, _TUNE_2_0),
                _IGNORED,
                _torchtune(torchtune_checks.applies_with_processes, _TUNE_2_0, *_EARLY_TUNE),
                _mpi(_EARLY_MPI, processes.specified_slots),
                Pass("coscheduling", gang.applies_to_any, enforce=gang.label_pods),
            ),
            builders=(_pod_groups(pod_group.without_huge_pages_of_pods)[0], _hostfile(hostfile.first_replica)),
            resources_per_node=REPLACED,
            mpi_node_is_trainer=False,
            counts_first_trainer=True,
        ),
    ),
    "2.1": Version(
        Admission("trainer-2.1", runtime=runtime_problems_in_2_1),
        Behaviour(
            _POD_TEMPLATES,
            passes=(
                _INITIALIZERS,
                _overrides(POD_TEMPLATE_OVERRIDES, override_checks.known_targets, override_checks.own_env_of_templates),
                _PLAIN,
                _torch(_EARLY_TORCH, processes.words_counted, _TUNE_2_1),
                _IGNORED,
                _torchtune(
                    torchtune_checks.applies_with_processes, _TUNE_2_1, *_EARLY_TUNE, torchtune_checks.qlora_device
                ),
                _mpi(_EARLY_MPI, processes.slots),
                *_GANGS,
            ),
            builders=(*_pod_groups(pod_group.as_planned), _hostfile(hostfile.first_replica)),
            resources_per_node=REPLACED,
        ),
    ),
    "2.2": Version(
        Admission("trainer-2.2", runtime=runtime_problems_in_2_1),
        Behaviour(
            _JOB_PATCHES,
            passes=(
                _INITIALIZERS,
                _PATCHES,
                _PLAIN,
                _torch((_TORCH_ENV,), processes.specified_or_counted, _TUNE_2_1),
                _torchtune(
                    torchtune_checks.applies,
                    _TUNE_2_1,
                    torchtune_checks.known_model,
                    torchtune_checks.one_node,
                    torchtune_checks.qlora_device,
                ),
                _mpi((mpi.both_jobs, mpi.implementation), processes.slots),
                _framework("jax", (jax.trainer_step,), jax.enforce),
                _XGBOOST,
                _framework("flux", _FLUX, partial(flux.enforce, _FLUX_2_2)),
                *_GANGS,
            ),
            builders=(
                *_pod_groups(pod_group.with_resources_per_node),
                _hostfile(hostfile.first_replica),
                Builder("flux", partial(has_policy, "flux"), flux_entrypoint.build_local),
            ),
            resources_per_node=REPLACED,
        ),
    ),
    "2.3": Version(
        Admission("trainer-2.3", runtime=runtime_problems),
        Behaviour(
            _SPEC_PATCHES,
            passes=(
                Pass("initializers", initializer_checks.applies, (initializer_checks.containers_and_mounts,)),
                _PATCHES,
                _PLAIN,
                _torch((torch.injection_targets, _TORCH_ENV), processes.specified_or_counted, _TUNE_2_3),
                _torchtune(
                    torchtune_checks.applies,
                    _TUNE_2_3,
                    torchtune_checks.known_model,
                    torchtune_checks.one_node,
                    torchtune_checks.no_adapter_across_nodes,
                    torchtune_checks.qlora_device,
                    torchtune_checks.unmanaged_args,
                ),
                _mpi((mpi.both_jobs, _MPI_ENV, mpi.implementation), processes.slots, ssh_modes=True),
                _framework("jax", (), jax.enforce),
                _XGBOOST,
                _framework("flux", (flux.processes, *_FLUX), partial(flux.enforce, _FLUX_2_3)),
                *_GANGS,
            ),
            builders=(
                *_pod_groups(pod_group.as_planned),
                _hostfile(hostfile.all_replicas),
                Builder("flux", partial(has_policy, "flux"), flux_entrypoint.build),
            ),
            resources_per_node=MERGED,
            ports_written_back=("initContainers", "containers"),
        ),
        keeps_off=True,
    ),
}


def _like(minor: str, trainer_schemas: str, jobset_schemas: str) -> Version:
    row = _MINORS[minor]
    return replace(row, admission=replace(row.admission, schemas=trainer_schemas, jobset=jobset_schemas))


_ROWS = {
    **_MINORS,
    "2.2.0": _like("2.2", "trainer-2.2.0", "jobset-0.11"),
    NEXT: _like("2.3", "trainer-next", "jobset-next"),
}
VERSIONS: Mapping[str, Version] = {version: _ROWS[version] for version in TRAINER_VERSIONS}


@cache
def extended(version: str, allowed: AllowSettings) -> Version:
    """A row that also builds what no controller implements, as far as trainjob.yaml allows it."""
    row, schemas = VERSIONS[version], ""
    passes: Iterable[Pass] = row.behaviour.passes
    if allowed.elastic:
        schemas += f"+{ELASTIC}"
        passes = [_elastic(each) if each.name == "torch" else each for each in passes if each.name != _IGNORED.name]
    if allowed.extended_mpi:
        schemas += f"+{EXTENDED_MPI}"
        passes = [new for each in passes for new in ((each, _HYDRA) if each.name == "mpi" else (each,))]
    admission = replace(row.admission, schemas=row.admission.schemas + schemas)
    return replace(row, admission=admission, behaviour=replace(row.behaviour, passes=tuple(passes))) if schemas else row


def _elastic(torch_pass: Pass) -> Pass:
    checks = (*torch_pass.checks, elastic.policy_problems)
    return replace(torch_pass, checks=checks, enforce=partial(elastic.enforce, torch_pass.enforce))
