"""The rules in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kubectl_trainjob.frontends.older import jobs, overrides, processes, spelling, templates
from kubectl_trainjob.frontends.older.rewriting import Rewriting, RuleClass

_AUTO, _ASK, _ERROR = RuleClass


class RewriteRule(NamedTuple):
    """`since` is the first version of Trainer whose API the rule writes, "" for all."""

    id: str
    rule_class: RuleClass
    apply: Callable[[Rewriting], None]
    since: str = ""


RUNTIME_RULES = (
    RewriteRule("api-version", _AUTO, spelling.api_version),
    RewriteRule("lost-indentation", _ASK, spelling.nested_runtime),
    RewriteRule("policy-names", _AUTO, spelling.policy_names),
    RewriteRule("pytorch", _AUTO, spelling.torch_name),
    RewriteRule("ssh-auth-mount-path", _AUTO, spelling.ssh_path),
    RewriteRule("mpi-implementation", _ASK, spelling.mpi_implementation),
    RewriteRule("short-template", _AUTO, templates.short_template),
    RewriteRule("short-job", _AUTO, templates.short_job),
    RewriteRule("initializer-job", _AUTO, templates.initializer),
    RewriteRule("job-names", _AUTO, templates.job_names),
    RewriteRule("container-names", _AUTO, templates.container_names),
    RewriteRule("initializer-volume", _AUTO, templates.volume_names),
    RewriteRule("ancestor-labels", _AUTO, templates.ancestor_labels),
    RewriteRule("ancestor-replicas", _ERROR, templates.ancestor_replicas),
    RewriteRule("runtime-processes", _AUTO, processes.runtime_processes, "2.2"),
    RewriteRule("elastic-policy", _ASK, processes.elastic_policy, "2.2"),
)
JOB_RULES = (
    RewriteRule("api-version", _AUTO, spelling.api_version),
    RewriteRule("lost-indentation", _ASK, spelling.nested_job),
    RewriteRule("runtime-ref", _AUTO, jobs.runtime_ref_name),
    RewriteRule("runtime-ref-group", _AUTO, jobs.runtime_ref_group),
    RewriteRule("runtime-ref-kind", _ASK, jobs.runtime_ref_kind),
    RewriteRule("dataset-config", _AUTO, jobs.dataset_config),
    RewriteRule("model-config", _ASK, jobs.model_config),
    RewriteRule("secret-namespace", _ASK, jobs.secret_refs),
    RewriteRule("managed-by", _AUTO, jobs.managed_by),
    RewriteRule("job-processes", _AUTO, processes.job_processes, "2.2"),
    RewriteRule("target-jobs", _AUTO, overrides.target_names),
    RewriteRule("initializer-job", _AUTO, overrides.initializer_targets),
    RewriteRule("container-names", _AUTO, overrides.container_names),
    RewriteRule("initializer-volume", _AUTO, overrides.volume_names),
    RewriteRule("pod-spec-overrides", _AUTO, overrides.spec_overrides, "2.1"),
    RewriteRule("pod-template-overrides", _AUTO, overrides.template_overrides, "2.2"),
    RewriteRule("job-metadata", _AUTO, jobs.job_metadata, "2.2"),
)


def rule_class(rule: str) -> RuleClass:
    """The class of a rule."""
    return next(each.rule_class for each in (*RUNTIME_RULES, *JOB_RULES) if each.id == rule)
