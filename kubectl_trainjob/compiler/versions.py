"""The releases of Trainer that can be targeted: one row each, and all that they do differently.

A row says how a release admits TrainJobs and runtimes, and how it expands them: the passes in their order, each with
the checks and the variant of its work that the release has. No stage asks for a version. A new release also needs its
name in `api/supported.py` and its packaged schemas, and, where its API is another one: what `schemas/other_versions.py`
says of fields that moved, what `init/job.py` writes, and a field that overrides the runtime's template wherever such
fields are listed (`api/trainer.py`, `expand/overrides/`, `overlay/images.py`, `overlay/references.py`,
`explain/steps.py`). The tests read their recorded cases in `tests/conformance/cases.py`.

Upstream's order of plugins inside a phase is a Go map's, so random; where two of them touch the same list (env of
XGBoost and Flux jobs) ours is the order of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from kubectl_trainjob.compiler.expand import pod_sizes, processes, slots
from kubectl_trainjob.compiler.expand.behaviour import Behaviour, Builder, Check, Overrides, Pass
from kubectl_trainjob.compiler.expand.builders import flux_entrypoint, hostfile, pod_group
from kubectl_trainjob.compiler.expand.overrides import pod_overrides, runtime_patches
from kubectl_trainjob.compiler.expand.passes import (
    coscheduling,
    flux,
    initializer_checks,
    jax,
    mpi,
    plain,
    pod_override_checks,
    runtime_patch_checks,
    torch,
    torchtune_checks,
    volcano,
    xgboost,
)
from kubectl_trainjob.compiler.expand.plan import Plan
from kubectl_trainjob.compiler.expand.resources_per_node import MERGED, REPLACED
from kubectl_trainjob.compiler.expand.torchtune import Torchtune, enabled_adapter, mentioned_adapter, no_adapter
from kubectl_trainjob.kube.admission.objects import Admission
from kubectl_trainjob.kube.admission.runtime import launchers_and_steps, runtime_problems
from kubectl_trainjob.kube.admission.train_job import dns_1035_name, named_by_schema
from kubectl_trainjob.kube.facts.trainer import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from kubectl_trainjob.model.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Version:
    """One row. `keeps_off`: whether the controller leaves alone what another controller manages (`managedBy`)."""

    admission: Admission
    behaviour: Behaviour
    keeps_off: bool = False


Tuned = Callable[[Torchtune, Plan], Iterator[Diagnostic]]
Overriding = Callable[[str, Plan], Iterator[Diagnostic]]


def _pod_overrides(field: str, *checks: Overriding) -> Pass:
    return Pass(field, partial(pod_override_checks.applies, field), tuple(partial(check, field) for check in checks))


def _torch(checks: tuple[Check, ...], count: torch.Count, known: Torchtune) -> Pass:
    return Pass("torch", torch.applies, checks, partial(torch.enforce, count, known))


def _torchtune(applies: Callable[[Plan], bool], known: Torchtune, *checks: Tuned) -> Pass:
    return Pass("torchtune", applies, tuple(partial(check, known) for check in checks))


def _mpi(checks: tuple[Check, ...], count: mpi.Count, *, ssh_modes: bool = False) -> Pass:
    return Pass("mpi", mpi.applies, checks, partial(mpi.enforce, count, ssh_modes))


def _flux(checks: tuple[Check, ...], setup: flux.Setup) -> Pass:
    return Pass("flux", flux.applies, checks, partial(flux.enforce, setup))


def _coscheduling_group(size_of: pod_sizes.Sizes) -> Builder:
    return Builder("coscheduling", coscheduling.applies, partial(pod_group.coscheduling, size_of))


def _volcano_group(size_of: pod_sizes.Sizes) -> Builder:
    return Builder("volcano", volcano.applies, partial(pod_group.volcano, size_of))


def _hostfile(replicas: hostfile.Replicas) -> Builder:
    return Builder("mpi", mpi.applies, partial(hostfile.build, replicas))


_POD_SPECS = Overrides(POD_SPEC_OVERRIDES, pod_overrides.merge_pod_specs, pod_overrides.of_runtime_and_job)
_POD_TEMPLATES = Overrides(POD_TEMPLATE_OVERRIDES, pod_overrides.merge_pod_templates, pod_overrides.of_runtime_and_job)
_JOB_PATCHES = Overrides(RUNTIME_PATCHES, runtime_patches.merge_job_templates, runtime_patches.of_runtime_and_patches)
_SPEC_PATCHES = Overrides(RUNTIME_PATCHES, runtime_patches.merge_spec, runtime_patches.of_runtime_and_patches)

_RUNTIME_ARGS = frozenset({"output_dir", "tokenizer.path", "checkpointer.checkpoint_dir"})
_MODELS = ("llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B")
_TUNE_2_0 = Torchtune(("llama3_2/1B", "llama3_2/7B", "llama3_3/70B"), _RUNTIME_ARGS, no_adapter, counts_gpus=False)
_TUNE_2_1 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, mentioned_adapter, counts_gpus=True)
_TUNE_2_3 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, enabled_adapter, counts_gpus=True)
_FLUX_2_2 = flux.Setup(shared_memory=False, runtime_command=False, empty_image=True)
_FLUX_2_3 = flux.Setup(shared_memory=True, runtime_command=True, empty_image=False)

# What two or more releases have in common.
_INITIALIZERS = Pass("initializers", initializer_checks.applies, (initializer_checks.containers,))
_PATCH_CHECKS = (runtime_patch_checks.managers, runtime_patch_checks.known_jobs, runtime_patch_checks.own_env)
_PATCHES = Pass(RUNTIME_PATCHES, runtime_patch_checks.applies, _PATCH_CHECKS)
_PLAIN = Pass("plain", plain.applies, enforce=plain.enforce)
_XGBOOST = Pass("xgboost", xgboost.applies, (xgboost.own_env,), xgboost.enforce)
_COSCHEDULING = Pass("coscheduling", coscheduling.applies, enforce=coscheduling.enforce)
_VOLCANO = Pass("volcano", volcano.applies, (volcano.queue_named,), volcano.enforce)
_EARLY_TORCH = (torch.word_or_number, torch.own_env_beside_processes)
_EARLY_TUNE = (torchtune_checks.known_model, torchtune_checks.nodes_stated, torchtune_checks.one_node)
_EARLY_MPI = (mpi.number_of_processes, mpi.both_jobs, mpi.implementation)
_FLUX = (flux.own_init_container, flux.nodes_stated, flux.namespace_stated)

VERSIONS: Mapping[str, Version] = {
    "2.0": Version(
        Admission("trainer-2.0", runtime=launchers_and_steps, train_job=dns_1035_name),
        Behaviour(
            _POD_SPECS,
            passes=(
                _INITIALIZERS,
                _pod_overrides(
                    POD_SPEC_OVERRIDES,
                    pod_override_checks.jobs_once,
                    pod_override_checks.known_jobs,
                    pod_override_checks.own_env_of_specs,
                ),
                _PLAIN,
                _torch(_EARLY_TORCH, processes.overridden_by_resources, _TUNE_2_0),
                _torchtune(torchtune_checks.applies_beside_processes, _TUNE_2_0, *_EARLY_TUNE),
                _mpi(_EARLY_MPI, slots.stated_slots),
                Pass("coscheduling", coscheduling.applies_to_any_gang, enforce=coscheduling.enforce),
            ),
            builders=(
                _coscheduling_group(pod_sizes.without_huge_pages_of_pods),
                _hostfile(hostfile.first_replica),
            ),
            resources_per_node=REPLACED,
            mpi_node_is_trainer=False,
            counts_first_trainer=True,
            ports_written_back=("containers",),
        ),
    ),
    "2.1": Version(
        Admission("trainer-2.1", runtime=runtime_problems, train_job=named_by_schema),
        Behaviour(
            _POD_TEMPLATES,
            passes=(
                _INITIALIZERS,
                _pod_overrides(
                    POD_TEMPLATE_OVERRIDES, pod_override_checks.known_jobs, pod_override_checks.own_env_of_templates
                ),
                _PLAIN,
                _torch(_EARLY_TORCH, processes.words_counted, _TUNE_2_1),
                _torchtune(
                    torchtune_checks.applies_beside_processes, _TUNE_2_1, *_EARLY_TUNE, torchtune_checks.qlora_device
                ),
                _mpi(_EARLY_MPI, slots.slots),
                _COSCHEDULING,
                _VOLCANO,
            ),
            builders=(
                _coscheduling_group(pod_sizes.as_planned),
                _volcano_group(pod_sizes.as_planned),
                _hostfile(hostfile.first_replica),
            ),
            resources_per_node=REPLACED,
            mpi_node_is_trainer=True,
            counts_first_trainer=False,
            ports_written_back=("containers",),
        ),
    ),
    "2.2": Version(
        Admission("trainer-2.2", runtime=runtime_problems, train_job=named_by_schema),
        Behaviour(
            _JOB_PATCHES,
            passes=(
                _INITIALIZERS,
                _PATCHES,
                _PLAIN,
                _torch((torch.own_env,), processes.stated_or_counted, _TUNE_2_1),
                _torchtune(
                    torchtune_checks.applies,
                    _TUNE_2_1,
                    torchtune_checks.known_model,
                    torchtune_checks.one_node,
                    torchtune_checks.qlora_device,
                ),
                _mpi((mpi.both_jobs, mpi.implementation), slots.slots),
                Pass("jax", jax.applies, (jax.trainer_step,), jax.enforce),
                _XGBOOST,
                _flux(_FLUX, _FLUX_2_2),
                _COSCHEDULING,
                _VOLCANO,
            ),
            builders=(
                _coscheduling_group(pod_sizes.with_resources_per_node),
                _volcano_group(pod_sizes.with_resources_per_node),
                _hostfile(hostfile.first_replica),
                Builder("flux", flux.applies, flux_entrypoint.build_local),
            ),
            resources_per_node=REPLACED,
            mpi_node_is_trainer=True,
            counts_first_trainer=False,
            ports_written_back=("containers",),
        ),
    ),
    "2.3": Version(
        Admission("trainer-2.3", runtime=runtime_problems, train_job=named_by_schema),
        Behaviour(
            _SPEC_PATCHES,
            passes=(
                Pass("initializers", initializer_checks.applies, (initializer_checks.containers_and_mounts,)),
                _PATCHES,
                _PLAIN,
                _torch((torch.injection_targets, torch.own_env), processes.stated_or_counted, _TUNE_2_3),
                _torchtune(
                    torchtune_checks.applies,
                    _TUNE_2_3,
                    torchtune_checks.known_model,
                    torchtune_checks.one_node,
                    torchtune_checks.no_adapter_across_nodes,
                    torchtune_checks.qlora_device,
                    torchtune_checks.unmanaged_args,
                ),
                _mpi((mpi.both_jobs, mpi.own_env, mpi.implementation), slots.slots, ssh_modes=True),
                Pass("jax", jax.applies, enforce=jax.enforce),
                _XGBOOST,
                _flux((flux.processes, *_FLUX), _FLUX_2_3),
                _COSCHEDULING,
                _VOLCANO,
            ),
            builders=(
                _coscheduling_group(pod_sizes.as_planned),
                _volcano_group(pod_sizes.as_planned),
                _hostfile(hostfile.all_replicas),
                Builder("flux", flux.applies, flux_entrypoint.build),
            ),
            resources_per_node=MERGED,
            mpi_node_is_trainer=True,
            counts_first_trainer=False,
            ports_written_back=("initContainers", "containers"),
        ),
        keeps_off=True,
    ),
}
