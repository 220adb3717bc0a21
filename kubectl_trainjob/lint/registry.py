"""All checks, by what they look at and in the order of their ids."""

from __future__ import annotations

from kubectl_trainjob.lint.check import Check, JobCheck, OutputCheck, RuntimeCheck, TreeCheck
from kubectl_trainjob.lint.rules import (
    accelerator_not_counted,
    ancestor_label_missing,
    custom_subdomain,
    gang_membership,
    gang_min_member,
    gang_scheduler_name,
    gang_two_policies,
    gang_with_depends_on,
    generated_secret_in_git,
    gpu_name_ambiguous,
    gpu_process_mismatch,
    image_tag_latest,
    kueue_queue_label,
    kueue_suspend_in_git,
    launcher_env_overwritten,
    mpi_container_name,
    mpi_extra_node,
    mpi_launcher_not_awaiting,
    mpi_multiple_launchers,
    mpi_one_node,
    mpi_success_policy,
    non_indexed_completion,
    nondeterministic_output,
    not_torchrun,
    num_nodes_zero,
    secret_in_env,
    service_name_collision,
    shm_missing,
    stale_output,
    trainer_job_not_node,
    trainer_omitted,
    ttl_under_gitops,
)
from kubectl_trainjob.model.rules import (
    IMMUTABLE_JOBSET_FIELD,
    IMMUTABLE_RUNTIME_PATCH,
    IMMUTABLE_TRAINJOB_FIELD,
    RULES,
    Category,
    Rule,
    Severity,
)

RUNTIME_CHECKS: tuple[RuntimeCheck, ...] = (
    ancestor_label_missing.CHECK,
    launcher_env_overwritten.CHECK,
    trainer_job_not_node.CHECK,
    custom_subdomain.CHECK,
    non_indexed_completion.CHECK,
    mpi_container_name.CHECK,
    mpi_multiple_launchers.CHECK,
    mpi_launcher_not_awaiting.CHECK,
    mpi_success_policy.CHECK,
    gang_with_depends_on.CHECK,
    gang_two_policies.CHECK,
    gang_scheduler_name.CHECK,
    image_tag_latest.RUNTIME_CHECK,
    secret_in_env.RUNTIME_CHECK,
)
JOB_CHECKS: tuple[JobCheck, ...] = (
    gpu_process_mismatch.CHECK,
    gpu_name_ambiguous.CHECK,
    accelerator_not_counted.CHECK,
    shm_missing.CHECK,
    trainer_omitted.CHECK,
    not_torchrun.CHECK,
    num_nodes_zero.CHECK,
    mpi_extra_node.CHECK,
    mpi_one_node.CHECK,
    gang_min_member.CHECK,
    kueue_queue_label.CHECK,
    kueue_suspend_in_git.CHECK,
    service_name_collision.CHECK,
    nondeterministic_output.CHECK,
    ttl_under_gitops.CHECK,
    image_tag_latest.JOB_CHECK,
    secret_in_env.JOB_CHECK,
)
TREE_CHECKS: tuple[TreeCheck, ...] = (
    gang_membership.CHECK,
    generated_secret_in_git.CHECK,
)
UPDATE_RULES = (IMMUTABLE_TRAINJOB_FIELD, IMMUTABLE_RUNTIME_PATCH, IMMUTABLE_JOBSET_FIELD)
"""The rules that a review checks: they need two versions of the inputs."""

OUTPUT_CHECKS: tuple[OutputCheck, ...] = (stale_output.CHECK,)

_CHECKS: tuple[Check, ...] = (*RUNTIME_CHECKS, *JOB_CHECKS, *TREE_CHECKS, *OUTPUT_CHECKS)
_IDS = frozenset(rule.id for rule in (*UPDATE_RULES, *(check.rule for check in _CHECKS)))
LINT_RULES = tuple(rule for rule in RULES.values() if rule.id in _IDS)
"""The rules that only lint checks; a build reports the others."""


def is_build_error(rule: Rule) -> bool:
    """Whether the rule stops a build, so that nothing can hide it."""
    return rule.severity is Severity.ERROR and rule.category is not Category.LATE and rule.id not in _IDS
