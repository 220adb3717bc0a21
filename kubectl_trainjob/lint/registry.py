"""All checks, by what they check and in the order of their ids."""

from __future__ import annotations

from typing import Any

from kubectl_trainjob.lint.check import Check
from kubectl_trainjob.lint.containers import in_job, in_runtime
from kubectl_trainjob.lint.rules import (
    accelerator_not_counted,
    ancestor_label_missing,
    command_in_one_string,
    custom_subdomain,
    flux_substitution,
    forced_run,
    gang_membership,
    gang_min_member,
    gang_scheduler_name,
    gang_two_policies,
    gang_with_depends_on,
    generated_secret_in_git,
    gpu_name_ambiguous,
    gpu_process_mismatch,
    image_invalid,
    image_tag_latest,
    kueue_queue_label,
    kueue_suspend_in_git,
    launcher_env_overwritten,
    launcher_flag_conflict,
    memory_too_small,
    mpi_container_name,
    mpi_extra_node,
    mpi_launcher_not_awaiting,
    mpi_multiple_launchers,
    mpi_one_node,
    mpi_open_mpi_5,
    mpi_success_policy,
    no_processes,
    non_indexed_completion,
    nondeterministic_output,
    not_torchrun,
    num_nodes_zero,
    run_is_hook,
    secret_in_env,
    secret_of_each_run,
    service_name_collision,
    shm_missing,
    stale_output,
    sync_wave_after_run,
    trainer_job_not_node,
    trainer_omitted,
    ttl_under_gitops,
    unconfirmed_prune,
    unknown_extended_resource,
)
from kubectl_trainjob.lint.views import LintContext, LintedJob, LintedOutput, LintedRuntime
from kubectl_trainjob.model import rules
from kubectl_trainjob.model.rules import RULES, Category, Rule, Severity

RUNTIME_CHECKS: tuple[Check[LintedRuntime], ...] = (
    Check(rules.ANCESTOR_LABEL_MISSING, ancestor_label_missing.find),
    Check(rules.UNKNOWN_EXTENDED_RESOURCE, in_runtime(unknown_extended_resource.find)),
    Check(rules.MEMORY_TOO_SMALL, in_runtime(memory_too_small.find)),
    Check(rules.LAUNCHER_ENV_OVERWRITTEN, launcher_env_overwritten.find),
    Check(rules.TRAINER_JOB_NOT_NODE, trainer_job_not_node.find),
    Check(rules.CUSTOM_SUBDOMAIN, custom_subdomain.find),
    Check(rules.NON_INDEXED_COMPLETION, non_indexed_completion.find),
    Check(rules.COMMAND_IN_ONE_STRING, in_runtime(command_in_one_string.find)),
    Check(rules.MPI_CONTAINER_NAME, mpi_container_name.find),
    Check(rules.MPI_MULTIPLE_LAUNCHERS, mpi_multiple_launchers.find),
    Check(rules.MPI_LAUNCHER_NOT_AWAITING, mpi_launcher_not_awaiting.find),
    Check(rules.MPI_SUCCESS_POLICY, mpi_success_policy.find),
    Check(rules.GANG_WITH_DEPENDS_ON, gang_with_depends_on.find),
    Check(rules.GANG_TWO_POLICIES, gang_two_policies.find),
    Check(rules.GANG_SCHEDULER_NAME, gang_scheduler_name.find),
    Check(rules.IMAGE_TAG_LATEST, in_runtime(image_tag_latest.find)),
    Check(rules.SECRET_IN_ENV, in_runtime(secret_in_env.find)),
    Check(rules.IMAGE_INVALID, in_runtime(image_invalid.find)),
)
"""Of each admitted runtime, whether a TrainJob refers to it or not."""

JOB_CHECKS: tuple[Check[LintedJob], ...] = (
    Check(rules.GPU_PROCESS_MISMATCH, gpu_process_mismatch.find),
    Check(rules.GPU_NAME_AMBIGUOUS, gpu_name_ambiguous.find),
    Check(rules.ACCELERATOR_NOT_COUNTED, accelerator_not_counted.find),
    Check(rules.SHM_MISSING, shm_missing.find),
    Check(rules.UNKNOWN_EXTENDED_RESOURCE, in_job(unknown_extended_resource.find)),
    Check(rules.MEMORY_TOO_SMALL, in_job(memory_too_small.find)),
    Check(rules.TRAINER_OMITTED, trainer_omitted.find),
    Check(rules.NOT_TORCHRUN, not_torchrun.find),
    Check(rules.LAUNCHER_FLAG_CONFLICT, launcher_flag_conflict.find),
    Check(rules.NUM_NODES_ZERO, num_nodes_zero.find),
    Check(rules.COMMAND_IN_ONE_STRING, in_job(command_in_one_string.find)),
    Check(rules.NO_PROCESSES, no_processes.find),
    Check(rules.MPI_EXTRA_NODE, mpi_extra_node.find),
    Check(rules.MPI_ONE_NODE, mpi_one_node.find),
    Check(rules.MPI_OPEN_MPI_5, mpi_open_mpi_5.find),
    Check(rules.GANG_MIN_MEMBER, gang_min_member.find),
    Check(rules.KUEUE_QUEUE_LABEL, kueue_queue_label.find),
    Check(rules.KUEUE_SUSPEND_IN_GIT, kueue_suspend_in_git.find),
    Check(rules.SERVICE_NAME_COLLISION, service_name_collision.find),
    Check(rules.NONDETERMINISTIC_OUTPUT, nondeterministic_output.find),
    Check(rules.TTL_UNDER_GITOPS, ttl_under_gitops.find),
    Check(rules.SECRET_OF_EACH_RUN, secret_of_each_run.find),
    Check(rules.RUN_IS_HOOK, run_is_hook.find),
    Check(rules.SYNC_WAVE_AFTER_RUN, sync_wave_after_run.find),
    Check(rules.FLUX_SUBSTITUTION, flux_substitution.find),
    Check(rules.FORCED_RUN, forced_run.find),
    Check(rules.IMAGE_TAG_LATEST, in_job(image_tag_latest.find)),
    Check(rules.SECRET_IN_ENV, in_job(secret_in_env.find)),
    Check(rules.IMAGE_INVALID, in_job(image_invalid.find)),
)
"""Of each TrainJob that can be built, with its generated objects."""

TREE_CHECKS: tuple[Check[LintContext], ...] = (
    Check(rules.GANG_MEMBERSHIP, gang_membership.find),
    Check(rules.GENERATED_SECRET_IN_GIT, generated_secret_in_git.find),
    Check(rules.FLUX_SUBSTITUTION, flux_substitution.find_in_scripts),
    Check(rules.FORCED_RUN, forced_run.find_in_settings),
    Check(rules.UNCONFIRMED_PRUNE, unconfirmed_prune.find),
)
"""The checks of a whole build unit, which run once."""

OUTPUT_CHECKS: tuple[Check[LintedOutput], ...] = (Check(rules.STALE_OUTPUT, stale_output.find),)
"""Of each directory with the output of an earlier build."""

UPDATE_RULES = (rules.IMMUTABLE_TRAINJOB_FIELD, rules.IMMUTABLE_RUNTIME_PATCH, rules.IMMUTABLE_JOBSET_FIELD)
"""The rules that a review checks: they need two versions of the inputs."""

_CHECKS: tuple[Check[Any], ...] = (*RUNTIME_CHECKS, *JOB_CHECKS, *TREE_CHECKS, *OUTPUT_CHECKS)
_IDS = frozenset(rule.id for rule in (*UPDATE_RULES, *(check.rule for check in _CHECKS)))
LINT_RULES = tuple(rule for rule in RULES.values() if rule.id in _IDS)
"""The rules that only lint checks; a build reports the others."""


def is_build_error(rule: Rule) -> bool:
    """Whether the rule stops a build. Such findings cannot be suppressed."""
    return rule.severity is Severity.ERROR and rule.category is not Category.LATE and rule.id not in _IDS
