"""The releases of Trainer that can be targeted: one row each, and all that they do differently.

A row says how a release admits TrainJobs and runtimes, and how it expands them: the passes in their order, each with
the checks and the variant of its work that the release has. Nothing else knows about versions.

Upstream's order of plugins inside a phase is a Go map's, so random; where two of them touch the same list (env of
XGBoost and Flux jobs) ours is the order of the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from kubectl_trainjob.admission.objects import Admission
from kubectl_trainjob.admission.runtime import launchers_and_steps, runtime_problems
from kubectl_trainjob.admission.train_job import dns_1035_name, named_by_schema
from kubectl_trainjob.expand import pod_sizes, processes
from kubectl_trainjob.expand.behaviour import Behaviour, Builder, Overrides, Pass
from kubectl_trainjob.expand.builders import flux_entrypoint, hostfile, pod_group
from kubectl_trainjob.expand.overrides import pod_overrides as merged_overrides
from kubectl_trainjob.expand.overrides import runtime_patches as merged_patches
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
from kubectl_trainjob.expand.torchtune import Torchtune, enabled_adapter, mentioned_adapter, no_adapter


@dataclass(frozen=True, slots=True)
class Version:
    """One row. `keeps_off`: whether the controller leaves alone what another controller manages (`managedBy`)."""

    admission: Admission
    behaviour: Behaviour
    keeps_off: bool = False


PATCHES = merged_patches.FIELD
POD_TEMPLATES, POD_SPECS = merged_overrides.POD_TEMPLATES, merged_overrides.POD_SPECS

_RUNTIME_ARGS = frozenset({"output_dir", "tokenizer.path", "checkpointer.checkpoint_dir"})
_MODELS = ("llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B")
_TUNE_2_0 = Torchtune(("llama3_2/1B", "llama3_2/7B", "llama3_3/70B"), _RUNTIME_ARGS, no_adapter, counts_gpus=False)
_TUNE_2_1 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, mentioned_adapter)
_TUNE_2_3 = Torchtune(_MODELS, _RUNTIME_ARGS | {"tokenizer.merges_file"}, enabled_adapter)
_FLUX_2_2 = flux.Setup(shared_memory=False, runtime_command=False, empty_image=True)
_FLUX_2_3 = flux.Setup(shared_memory=True, runtime_command=True, empty_image=False)

# Passes and builders that two or more releases share.
_PLAIN = Pass("plain", plain.applies, enforce=plain.enforce)
_INITIALIZERS = Pass("initializers", initializers.applies, (initializers.containers,))
_XGBOOST = Pass("xgboost", xgboost.applies, (xgboost.own_env,), xgboost.enforce)
_COSCHEDULING = Pass("coscheduling", coscheduling.applies, enforce=coscheduling.enforce)
_VOLCANO = Pass("volcano", volcano.applies, (volcano.queue_named,), volcano.enforce)
_FLUX_CHECKS = (flux.own_init_container, flux.nodes_stated, flux.namespace_stated)
_COSCHEDULING_GROUP = Builder(
    "coscheduling", coscheduling.applies, partial(pod_group.coscheduling, pod_sizes.as_planned)
)
_VOLCANO_GROUP = Builder("volcano", volcano.applies, partial(pod_group.volcano, pod_sizes.as_planned))
_ONE_REPLICA_HOSTFILE = Builder("mpi", mpi.applies, partial(hostfile.build, hostfile.first_replica))

VERSIONS: Mapping[str, Version] = {
    "2.0": Version(
        Admission("trainer-2.0", runtime=launchers_and_steps, train_job=dns_1035_name),
        Behaviour(
            Overrides(POD_SPECS, merged_overrides.merge_pod_specs, merged_overrides.metadata),
            passes=(
                _INITIALIZERS,
                Pass(
                    POD_SPECS,
                    partial(pod_overrides.applies, POD_SPECS),
                    (
                        partial(pod_overrides.jobs_once, POD_SPECS),
                        partial(pod_overrides.known_jobs, POD_SPECS),
                        partial(pod_overrides.own_env_of_specs, POD_SPECS),
                    ),
                ),
                _PLAIN,
                Pass(
                    "torch",
                    torch.applies,
                    (torch.word_or_number, torch.own_env_beside_processes),
                    partial(torch.enforce, processes.overridden_by_resources, _TUNE_2_0),
                ),
                Pass(
                    "torchtune",
                    torchtune.applies_beside_processes,
                    (partial(torchtune.known_model, _TUNE_2_0), torchtune.nodes_stated, torchtune.one_node),
                ),
                Pass(
                    "mpi",
                    mpi.applies,
                    (mpi.number_of_processes, mpi.both_jobs, mpi.implementation),
                    partial(mpi.enforce, mpi.stated_slots, False),
                ),
                Pass("coscheduling", coscheduling.applies_to_any_gang, enforce=coscheduling.enforce),
            ),
            builders=(
                Builder(
                    "coscheduling",
                    coscheduling.applies,
                    partial(pod_group.coscheduling, pod_sizes.without_huge_pages_of_pods),
                ),
                _ONE_REPLICA_HOSTFILE,
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
            Overrides(POD_TEMPLATES, merged_overrides.merge_pod_templates, merged_overrides.metadata),
            passes=(
                _INITIALIZERS,
                Pass(
                    POD_TEMPLATES,
                    partial(pod_overrides.applies, POD_TEMPLATES),
                    (
                        partial(pod_overrides.known_jobs, POD_TEMPLATES),
                        partial(pod_overrides.own_env_of_templates, POD_TEMPLATES),
                    ),
                ),
                _PLAIN,
                Pass(
                    "torch",
                    torch.applies,
                    (torch.word_or_number, torch.own_env_beside_processes),
                    partial(torch.enforce, processes.words_counted, _TUNE_2_1),
                ),
                Pass(
                    "torchtune",
                    torchtune.applies_beside_processes,
                    (
                        partial(torchtune.known_model, _TUNE_2_1),
                        torchtune.nodes_stated,
                        torchtune.one_node,
                        partial(torchtune.qlora_device, _TUNE_2_1),
                    ),
                ),
                Pass(
                    "mpi",
                    mpi.applies,
                    (mpi.number_of_processes, mpi.both_jobs, mpi.implementation),
                    partial(mpi.enforce, mpi.slots, False),
                ),
                _COSCHEDULING,
                _VOLCANO,
            ),
            builders=(_COSCHEDULING_GROUP, _VOLCANO_GROUP, _ONE_REPLICA_HOSTFILE),
            resources_per_node="replaced",
            ports_written_back=("containers",),
        ),
    ),
    "2.2": Version(
        Admission("trainer-2.2", runtime=runtime_problems, train_job=named_by_schema),
        Behaviour(
            Overrides(PATCHES, merged_patches.merge_job_templates, merged_patches.metadata),
            passes=(
                _INITIALIZERS,
                Pass(
                    PATCHES,
                    runtime_patches.applies,
                    (runtime_patches.managers, runtime_patches.known_jobs, runtime_patches.own_env),
                ),
                _PLAIN,
                Pass(
                    "torch",
                    torch.applies,
                    (torch.own_env,),
                    partial(torch.enforce, processes.stated_or_counted, _TUNE_2_1),
                ),
                Pass(
                    "torchtune",
                    torchtune.applies,
                    (
                        partial(torchtune.known_model, _TUNE_2_1),
                        torchtune.one_node,
                        partial(torchtune.qlora_device, _TUNE_2_1),
                    ),
                ),
                Pass("mpi", mpi.applies, (mpi.both_jobs, mpi.implementation), partial(mpi.enforce, mpi.slots, False)),
                Pass("jax", jax.applies, (jax.trainer_step,), jax.enforce),
                _XGBOOST,
                Pass("flux", flux.applies, _FLUX_CHECKS, partial(flux.enforce, _FLUX_2_2)),
                _COSCHEDULING,
                _VOLCANO,
            ),
            builders=(
                Builder(
                    "coscheduling",
                    coscheduling.applies,
                    partial(pod_group.coscheduling, pod_sizes.with_resources_per_node),
                ),
                Builder("volcano", volcano.applies, partial(pod_group.volcano, pod_sizes.with_resources_per_node)),
                _ONE_REPLICA_HOSTFILE,
                Builder("flux", flux.applies, flux_entrypoint.build_local),
            ),
            resources_per_node="replaced",
            ports_written_back=("containers",),
        ),
    ),
    "2.3": Version(
        Admission("trainer-2.3", runtime=runtime_problems, train_job=named_by_schema),
        Behaviour(
            Overrides(PATCHES, merged_patches.merge_spec, merged_patches.metadata),
            passes=(
                Pass("initializers", initializers.applies, (initializers.containers_and_mounts,)),
                Pass(
                    PATCHES,
                    runtime_patches.applies,
                    (runtime_patches.managers, runtime_patches.known_jobs, runtime_patches.own_env),
                ),
                _PLAIN,
                Pass(
                    "torch",
                    torch.applies,
                    (torch.injection_targets, torch.own_env),
                    partial(torch.enforce, processes.stated_or_counted, _TUNE_2_3),
                ),
                Pass(
                    "torchtune",
                    torchtune.applies,
                    (
                        partial(torchtune.known_model, _TUNE_2_3),
                        torchtune.one_node,
                        partial(torchtune.no_adapter_across_nodes, _TUNE_2_3),
                        partial(torchtune.qlora_device, _TUNE_2_3),
                        partial(torchtune.unmanaged_args, _TUNE_2_3),
                    ),
                ),
                Pass(
                    "mpi",
                    mpi.applies,
                    (mpi.both_jobs, mpi.own_env, mpi.implementation),
                    partial(mpi.enforce, mpi.slots, True),
                ),
                Pass("jax", jax.applies, enforce=jax.enforce),
                _XGBOOST,
                Pass("flux", flux.applies, (flux.processes, *_FLUX_CHECKS), partial(flux.enforce, _FLUX_2_3)),
                _COSCHEDULING,
                _VOLCANO,
            ),
            builders=(
                _COSCHEDULING_GROUP,
                _VOLCANO_GROUP,
                Builder("mpi", mpi.applies, partial(hostfile.build, hostfile.all_replicas)),
                Builder("flux", flux.applies, flux_entrypoint.build),
            ),
        ),
        keeps_off=True,
    ),
}
