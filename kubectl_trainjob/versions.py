"""The releases of Trainer that can be targeted: one row each, and all that they do differently.

A row says how a release admits TrainJobs and runtimes, and how it expands them: the passes in their order, each with
the checks and the variant of its work that the release has. Nothing else knows about versions.

Upstream's order of plugins inside a phase is a Go map's, so random; where two of them touch the same list (env of
XGBoost and Flux jobs) ours is the order of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from kubectl_trainjob.admission.objects import Admission
from kubectl_trainjob.admission.runtime import launchers_and_steps, runtime_problems
from kubectl_trainjob.admission.train_job import dns_1035_name, named_by_schema
from kubectl_trainjob.expand import pod_sizes, processes, slots
from kubectl_trainjob.expand.behaviour import Behaviour, Builder, Check, Overrides, Pass
from kubectl_trainjob.expand.builders import flux_entrypoint, hostfile, pod_group
from kubectl_trainjob.expand.overrides.pod_overrides import (
    POD_SPECS,
    POD_TEMPLATES,
    merge_pod_specs,
    merge_pod_templates,
    of_runtime_and_job,
)
from kubectl_trainjob.expand.overrides.runtime_patches import (
    RUNTIME_PATCHES,
    merge_job_templates,
    merge_spec,
    of_runtime_and_patches,
)
from kubectl_trainjob.expand.passes import (
    coscheduling,
    flux,
    initializers,
    jax,
    mpi,
    plain,
    pod_overrides,
    runtime_patches,
    torch,
    torchtune,
    volcano,
    xgboost,
)
from kubectl_trainjob.expand.plan import Plan
from kubectl_trainjob.expand.torchtune import Torchtune, enabled_adapter, mentioned_adapter, no_adapter
from kubectl_trainjob.findings.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Version:
    """One row. `keeps_off`: whether the controller leaves alone what another controller manages (`managedBy`)."""

    admission: Admission
    behaviour: Behaviour
    keeps_off: bool = False


Tuned = Callable[[Torchtune, Plan], Iterator[Diagnostic]]
Overriding = Callable[[str, Plan], Iterator[Diagnostic]]


def _pod_overrides(field: str, *checks: Overriding) -> Pass:
    return Pass(field, partial(pod_overrides.applies, field), tuple(partial(check, field) for check in checks))


def _torch(checks: tuple[Check, ...], count: torch.Count, known: Torchtune) -> Pass:
    return Pass("torch", torch.applies, checks, partial(torch.enforce, count, known))


def _torchtune(applies: Callable[[Plan], bool], known: Torchtune, *checks: Tuned) -> Pass:
    return Pass("torchtune", applies, tuple(partial(check, known) for check in checks))


def _mpi(checks: tuple[Check, ...], count: mpi.Count, *, ssh_modes: bool = False) -> Pass:
    return Pass("mpi", mpi.applies, checks, partial(mpi.enforce, count, ssh_modes))


def _flux(checks: tuple[Check, ...], setup: flux.Setup) -> Pass:
    return Pass("flux", flux.applies, checks, partial(flux.enforce, setup))


def _coscheduling_group(requests: pod_group.Requests) -> Builder:
    return Builder("coscheduling", coscheduling.applies, partial(pod_group.coscheduling, requests))


def _volcano_group(requests: pod_group.Requests) -> Builder:
    return Builder("volcano", volcano.applies, partial(pod_group.volcano, requests))


def _hostfile(replicas: hostfile.Replicas) -> Builder:
    return Builder("mpi", mpi.applies, partial(hostfile.build, replicas))


_POD_SPECS = Overrides(POD_SPECS, merge_pod_specs, of_runtime_and_job)
_POD_TEMPLATES = Overrides(POD_TEMPLATES, merge_pod_templates, of_runtime_and_job)
_JOB_PATCHES = Overrides(RUNTIME_PATCHES, merge_job_templates, of_runtime_and_patches)
_SPEC_PATCHES = Overrides(RUNTIME_PATCHES, merge_spec, of_runtime_and_patches)

_RUNTIME_ARGS = frozenset({"output_dir", "tokenizer.path", "checkpointer.checkpoint_dir"})
_MODELS = ("llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B")
_TUNE_2_0 = Torchtune(("llama3_2/1B", "llama3_2/7B", "llama3_3/70B"), _RUNTIME_ARGS, no_adapter, counts_gpus=False)
_TUNE_2_1 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, mentioned_adapter)
_TUNE_2_3 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, enabled_adapter)
_FLUX_2_2 = flux.Setup(shared_memory=False, runtime_command=False, empty_image=True)
_FLUX_2_3 = flux.Setup(shared_memory=True, runtime_command=True, empty_image=False)

# What two or more releases have in common.
_INITIALIZERS = Pass("initializers", initializers.applies, (initializers.containers,))
_PATCH_CHECKS = (runtime_patches.managers, runtime_patches.known_jobs, runtime_patches.own_env)
_PATCHES = Pass(RUNTIME_PATCHES, runtime_patches.applies, _PATCH_CHECKS)
_PLAIN = Pass("plain", plain.applies, enforce=plain.enforce)
_XGBOOST = Pass("xgboost", xgboost.applies, (xgboost.own_env,), xgboost.enforce)
_COSCHEDULING = Pass("coscheduling", coscheduling.applies, enforce=coscheduling.enforce)
_VOLCANO = Pass("volcano", volcano.applies, (volcano.queue_named,), volcano.enforce)
_EARLY_TORCH = (torch.word_or_number, torch.own_env_beside_processes)
_EARLY_TUNE = (torchtune.known_model, torchtune.nodes_stated, torchtune.one_node)
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
                    POD_SPECS, pod_overrides.jobs_once, pod_overrides.known_jobs, pod_overrides.own_env_of_specs
                ),
                _PLAIN,
                _torch(_EARLY_TORCH, processes.overridden_by_resources, _TUNE_2_0),
                _torchtune(torchtune.applies_beside_processes, _TUNE_2_0, *_EARLY_TUNE),
                _mpi(_EARLY_MPI, slots.stated_slots),
                Pass("coscheduling", coscheduling.applies_to_any_gang, enforce=coscheduling.enforce),
            ),
            builders=(
                _coscheduling_group(pod_sizes.without_huge_pages_of_pods),
                _hostfile(hostfile.first_replica),
            ),
            resources_per_node="replaced",
            launcher_as_node=False,
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
                _pod_overrides(POD_TEMPLATES, pod_overrides.known_jobs, pod_overrides.own_env_of_templates),
                _PLAIN,
                _torch(_EARLY_TORCH, processes.words_counted, _TUNE_2_1),
                _torchtune(torchtune.applies_beside_processes, _TUNE_2_1, *_EARLY_TUNE, torchtune.qlora_device),
                _mpi(_EARLY_MPI, slots.slots),
                _COSCHEDULING,
                _VOLCANO,
            ),
            builders=(
                _coscheduling_group(pod_sizes.as_planned),
                _volcano_group(pod_sizes.as_planned),
                _hostfile(hostfile.first_replica),
            ),
            resources_per_node="replaced",
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
                    torchtune.applies, _TUNE_2_1, torchtune.known_model, torchtune.one_node, torchtune.qlora_device
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
            resources_per_node="replaced",
            ports_written_back=("containers",),
        ),
    ),
    "2.3": Version(
        Admission("trainer-2.3", runtime=runtime_problems, train_job=named_by_schema),
        Behaviour(
            _SPEC_PATCHES,
            passes=(
                Pass("initializers", initializers.applies, (initializers.containers_and_mounts,)),
                _PATCHES,
                _PLAIN,
                _torch((torch.injection_targets, torch.own_env), processes.stated_or_counted, _TUNE_2_3),
                _torchtune(
                    torchtune.applies,
                    _TUNE_2_3,
                    torchtune.known_model,
                    torchtune.one_node,
                    torchtune.no_adapter_across_nodes,
                    torchtune.qlora_device,
                    torchtune.unmanaged_args,
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
        ),
        keeps_off=True,
    ),
}
