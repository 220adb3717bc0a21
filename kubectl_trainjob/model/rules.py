"""Every rule: its id, name, severity and category. The manual is the page `lint/manual/ID.md`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """`error` stops a build; `warning` and `info` do not."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Category(StrEnum):
    """The effect of ignoring the rule."""

    REJECTED = "rejected"  # the API server or a webhook rejects the object, or the controller cannot expand it
    LATE = "late"  # accepted, then fails when Jobs or Pods are created
    MISBEHAVES = "misbehaves"  # runs, but hangs or behaves differently than intended
    POLICY = "policy"  # works, but a team would not want it
    TOOL = "tool"  # a limit or convention of this tool


class Rule(NamedTuple):
    """`id` is `KTJnnn` and never reused; `since` is the version of this tool that introduced the rule.

    With `finds_secrets` no report shows the lines of its findings.
    """

    id: str
    name: str
    severity: Severity
    category: Category
    since: str = "0.1"
    finds_secrets: bool = False


ERROR, WARNING, INFO = Severity
REJECTED, LATE, MISBEHAVES, POLICY, TOOL = Category

YAML_SYNTAX = Rule("KTJ001", "yaml-syntax", ERROR, REJECTED)
NOT_UTF8 = Rule("KTJ002", "not-utf8", ERROR, TOOL)
CONTROL_CHARACTER = Rule("KTJ003", "control-character", ERROR, REJECTED)
DUPLICATE_KEY = Rule("KTJ004", "duplicate-key", ERROR, MISBEHAVES)
NON_STRING_KEY = Rule("KTJ005", "non-string-key", ERROR, MISBEHAVES)
EXPLICIT_TAG = Rule("KTJ006", "explicit-tag", ERROR, MISBEHAVES)
NOT_FINITE = Rule("KTJ007", "not-finite", ERROR, REJECTED)
YAML_DIRECTIVE = Rule("KTJ008", "yaml-directive", ERROR, REJECTED)
RECURSIVE_ALIAS = Rule("KTJ009", "recursive-alias", ERROR, REJECTED)
NOT_AN_OBJECT = Rule("KTJ010", "not-an-object", ERROR, REJECTED)
AMBIGUOUS_MERGE = Rule("KTJ011", "ambiguous-merge", ERROR, MISBEHAVES)
DOCUMENT_SEPARATOR = Rule("KTJ012", "document-separator", ERROR, REJECTED)
LONE_SURROGATE = Rule("KTJ013", "lone-surrogate", ERROR, REJECTED)
FILE_TOO_LARGE = Rule("KTJ020", "file-too-large", ERROR, TOOL)
BUILD_TOO_LARGE = Rule("KTJ021", "build-too-large", ERROR, TOOL)
TOO_MANY_DOCUMENTS = Rule("KTJ022", "too-many-documents", ERROR, TOOL)
TOO_DEEP = Rule("KTJ023", "too-deep", ERROR, TOOL)
ALIAS_EXPANSION = Rule("KTJ024", "alias-expansion", ERROR, TOOL)
UNSAFE_PATH = Rule("KTJ025", "unsafe-path", ERROR, TOOL)
UNLISTED_TEMPLATE = Rule("KTJ026", "unlisted-template", ERROR, TOOL)
TOO_DENSE = Rule("KTJ027", "too-dense", ERROR, TOOL)
UNBUILT_KUSTOMIZATION = Rule("KTJ028", "unbuilt-kustomization", WARNING, TOOL)
MISSING_TYPE = Rule("KTJ030", "missing-type", ERROR, REJECTED)
MISSING_NAME = Rule("KTJ031", "missing-name", ERROR, REJECTED)
INVALID_SETTING = Rule("KTJ040", "invalid-setting", ERROR, TOOL)
UNSUPPORTED_TARGET = Rule("KTJ041", "unsupported-target", ERROR, TOOL)
CONFLICTING_SETTINGS = Rule("KTJ042", "conflicting-settings", ERROR, TOOL)
NESTED_SETTINGS = Rule("KTJ043", "nested-settings", WARNING, TOOL)
INVALID_OVERLAY = Rule("KTJ050", "invalid-overlay", ERROR, TOOL)
UNKNOWN_RESOURCE = Rule("KTJ051", "unknown-resource", ERROR, TOOL)
OVERLAY_CYCLE = Rule("KTJ052", "overlay-cycle", ERROR, TOOL)
FAILED_PATCH = Rule("KTJ053", "failed-patch", ERROR, TOOL)
PATCH_WITHOUT_OBJECT = Rule("KTJ054", "patch-without-object", ERROR, TOOL)
UNUSED_SETTING = Rule("KTJ055", "unused-setting", WARNING, TOOL)
INVALID_PATCHED_OBJECT = Rule("KTJ056", "invalid-patched-object", ERROR, TOOL)
TOO_MANY_RESOURCES = Rule("KTJ057", "too-many-resources", ERROR, TOOL)
AMBIGUOUS_NAME = Rule("KTJ058", "ambiguous-name", ERROR, TOOL)
TOO_MANY_EDITS = Rule("KTJ059", "too-many-edits", ERROR, TOOL)
TEMPLATE_SYNTAX = Rule("KTJ060", "template-syntax", ERROR, TOOL)
UNDEFINED_VALUE = Rule("KTJ061", "undefined-value", ERROR, TOOL)
UNSAFE_TEMPLATE = Rule("KTJ062", "unsafe-template", ERROR, TOOL)
TEMPLATE_LIMIT = Rule("KTJ063", "template-limit", ERROR, TOOL)
TEMPLATE_FAILED = Rule("KTJ064", "template-failed", ERROR, TOOL)
INVALID_SUPPRESSION = Rule("KTJ070", "invalid-suppression", WARNING, TOOL)
UNUSED_SUPPRESSION = Rule("KTJ071", "unused-suppression", WARNING, TOOL)
EXPIRED_SUPPRESSION = Rule("KTJ072", "expired-suppression", WARNING, TOOL)
UNEXPLAINED_SUPPRESSION = Rule("KTJ073", "unexplained-suppression", INFO, TOOL)
UNKNOWN_FIELD = Rule("KTJ101", "unknown-field", ERROR, REJECTED)
REMOVED_FIELD = Rule("KTJ102", "removed-field", ERROR, REJECTED)
INVALID_TYPE_OR_ENUM = Rule("KTJ103", "invalid-type-or-enum", ERROR, REJECTED)
MULTIPLE_ML_POLICIES = Rule("KTJ104", "multiple-ml-policies", ERROR, REJECTED)
INVALID_STORAGE_URI = Rule("KTJ105", "invalid-storage-uri", ERROR, REJECTED)
INVALID_MANAGED_BY = Rule("KTJ106", "invalid-managed-by", ERROR, REJECTED)
DUPLICATE_LIST_KEY = Rule("KTJ107", "duplicate-list-key", ERROR, REJECTED)
DEPRECATED_API_VERSION = Rule("KTJ108", "deprecated-api-version", ERROR, REJECTED)
FEATURE_GATED_FIELD = Rule("KTJ109", "feature-gated-field", ERROR, REJECTED)
FIELD_NEWER_THAN_TARGET = Rule("KTJ110", "field-newer-than-target", ERROR, REJECTED)
MISSING_FIELD = Rule("KTJ111", "missing-field", ERROR, REJECTED)
INVALID_METADATA = Rule("KTJ112", "invalid-metadata", ERROR, REJECTED)
EXPLICIT_NULL = Rule("KTJ113", "explicit-null", WARNING, MISBEHAVES)
ELASTIC_NUM_NODES = Rule("KTJ114", "elastic-num-nodes", ERROR, REJECTED)
UNKNOWN_KIND = Rule("KTJ115", "unknown-kind", ERROR, REJECTED)
RUNTIME_NOT_FOUND = Rule("KTJ201", "runtime-not-found", ERROR, REJECTED)
RUNTIME_NAMESPACE_MISMATCH = Rule("KTJ202", "runtime-namespace-mismatch", ERROR, REJECTED)
RUNTIME_DEPRECATED = Rule("KTJ205", "runtime-deprecated", WARNING, POLICY)
ANCESTOR_LABEL_MISSING = Rule("KTJ207", "ancestor-label-missing", ERROR, MISBEHAVES)
ANCESTOR_CONTAINER_MISSING = Rule("KTJ210", "ancestor-container-missing", ERROR, REJECTED)
ANCESTOR_REPLICAS = Rule("KTJ211", "ancestor-replicas", ERROR, REJECTED)
INITIALIZER_TARGET = Rule("KTJ212", "initializer-target", ERROR, REJECTED)
PATCH_TARGET_MISSING = Rule("KTJ214", "patch-target-missing", ERROR, REJECTED)
PATCH_FORBIDDEN_ENV = Rule("KTJ215", "patch-forbidden-env", ERROR, REJECTED)
PATCH_MANAGER = Rule("KTJ216", "patch-manager", ERROR, REJECTED)
ENV_INJECTION_TARGET = Rule("KTJ217", "env-injection-target", ERROR, REJECTED)
RUNTIME_KIND_UNSUPPORTED = Rule("KTJ219", "runtime-kind-unsupported", ERROR, REJECTED)
PATCH_UNMERGEABLE = Rule("KTJ220", "patch-unmergeable", ERROR, REJECTED)
PORTS_OVERWRITTEN = Rule("KTJ221", "ports-overwritten", ERROR, REJECTED)
EXTENDED_RESOURCE_LIMIT_MISSING = Rule("KTJ301", "extended-resource-limit-missing", ERROR, LATE)
EXTENDED_RESOURCE_MISMATCH = Rule("KTJ302", "extended-resource-mismatch", ERROR, LATE)
EXTENDED_RESOURCE_FRACTIONAL = Rule("KTJ303", "extended-resource-fractional", ERROR, LATE)
REQUEST_EXCEEDS_LIMIT = Rule("KTJ304", "request-exceeds-limit", ERROR, LATE)
GPU_PROCESS_MISMATCH = Rule("KTJ305", "gpu-process-mismatch", WARNING, MISBEHAVES)
GPU_NAME_AMBIGUOUS = Rule("KTJ306", "gpu-name-ambiguous", ERROR, MISBEHAVES)
ACCELERATOR_NOT_COUNTED = Rule("KTJ307", "accelerator-not-counted", WARNING, MISBEHAVES)
SHM_MISSING = Rule("KTJ309", "shm-missing", WARNING, MISBEHAVES)
UNKNOWN_EXTENDED_RESOURCE = Rule("KTJ310", "unknown-extended-resource", WARNING, MISBEHAVES)
MEMORY_TOO_SMALL = Rule("KTJ317", "memory-too-small", ERROR, MISBEHAVES)
TORCH_RESERVED_ENV = Rule("KTJ401", "torch-reserved-env", ERROR, REJECTED)
LAUNCHER_ENV_OVERWRITTEN = Rule("KTJ402", "launcher-env-overwritten", WARNING, MISBEHAVES)
TRAINER_OMITTED = Rule("KTJ403", "trainer-omitted", ERROR, MISBEHAVES)
TRAINER_JOB_NOT_NODE = Rule("KTJ404", "trainer-job-not-node", ERROR, MISBEHAVES)
CUSTOM_SUBDOMAIN = Rule("KTJ405", "custom-subdomain", ERROR, MISBEHAVES)
NOT_TORCHRUN = Rule("KTJ406", "not-torchrun", WARNING, MISBEHAVES)
LAUNCHER_FLAG_CONFLICT = Rule("KTJ407", "launcher-flag-conflict", WARNING, MISBEHAVES)
TORCHTUNE_MODEL = Rule("KTJ409", "torchtune-model", ERROR, REJECTED)
TORCHTUNE_TOPOLOGY = Rule("KTJ410", "torchtune-topology", ERROR, REJECTED)
TORCHTUNE_MANAGED_ARG = Rule("KTJ411", "torchtune-managed-arg", ERROR, REJECTED)
NUM_NODES_ZERO = Rule("KTJ412", "num-nodes-zero", ERROR, MISBEHAVES)
NON_INDEXED_COMPLETION = Rule("KTJ413", "non-indexed-completion", ERROR, MISBEHAVES)
XGBOOST_RESERVED_ENV = Rule("KTJ416", "xgboost-reserved-env", ERROR, REJECTED)
JAX_TRAINER_STEP = Rule("KTJ417", "jax-trainer-step", ERROR, REJECTED)
TORCHTUNE_NUM_NODES = Rule("KTJ418", "torchtune-num-nodes", ERROR, REJECTED)
COMMAND_IN_ONE_STRING = Rule("KTJ419", "command-in-one-string", ERROR, MISBEHAVES)
ELASTIC_POLICY = Rule("KTJ420", "elastic-policy", ERROR, TOOL)
ELASTIC_IGNORED = Rule("KTJ421", "elastic-ignored", WARNING, MISBEHAVES)
NO_PROCESSES = Rule("KTJ422", "no-processes", ERROR, MISBEHAVES)
MPI_RESERVED_ENV = Rule("KTJ501", "mpi-reserved-env", ERROR, REJECTED)
MPI_IMPLEMENTATION = Rule("KTJ502", "mpi-implementation", ERROR, REJECTED)
MPI_JOBS_MISSING = Rule("KTJ503", "mpi-jobs-missing", ERROR, REJECTED)
MPI_CONTAINER_NAME = Rule("KTJ504", "mpi-container-name", ERROR, MISBEHAVES)
MPI_MULTIPLE_LAUNCHERS = Rule("KTJ505", "mpi-multiple-launchers", ERROR, MISBEHAVES)
MPI_EXTRA_NODE = Rule("KTJ506", "mpi-extra-node", WARNING, MISBEHAVES)
MPI_LAUNCHER_NOT_AWAITING = Rule("KTJ507", "mpi-launcher-not-awaiting", WARNING, MISBEHAVES)
MPI_SUCCESS_POLICY = Rule("KTJ509", "mpi-success-policy", ERROR, MISBEHAVES)
FLUX_RESERVED_INIT = Rule("KTJ511", "flux-reserved-init", ERROR, REJECTED)
FLUX_NUM_NODES_MISSING = Rule("KTJ512", "flux-num-nodes-missing", ERROR, REJECTED)
FLUX_PROCESSES = Rule("KTJ513", "flux-processes", ERROR, REJECTED)
FLUX_NAMESPACE_ASSUMED = Rule("KTJ514", "flux-namespace-assumed", WARNING, MISBEHAVES)
HOSTFILE_TOO_LARGE = Rule("KTJ515", "hostfile-too-large", ERROR, LATE)
MPI_ONE_NODE = Rule("KTJ516", "mpi-one-node", WARNING, MISBEHAVES)
MPI_NAMESPACE_ASSUMED = Rule("KTJ517", "mpi-namespace-assumed", WARNING, MISBEHAVES)
MPI_OPEN_MPI_5 = Rule("KTJ518", "mpi-open-mpi-5", WARNING, MISBEHAVES)
GANG_WITH_DEPENDS_ON = Rule("KTJ601", "gang-with-depends-on", ERROR, MISBEHAVES)
GANG_TWO_POLICIES = Rule("KTJ602", "gang-two-policies", ERROR, MISBEHAVES)
GANG_SCHEDULER_NAME = Rule("KTJ603", "gang-scheduler-name", WARNING, MISBEHAVES)
GANG_MIN_MEMBER = Rule("KTJ604", "gang-min-member", ERROR, MISBEHAVES)
GANG_MEMBERSHIP = Rule("KTJ607", "gang-membership", ERROR, MISBEHAVES)
VOLCANO_QUEUE = Rule("KTJ610", "volcano-queue", ERROR, REJECTED)
KUEUE_QUEUE_LABEL = Rule("KTJ612", "kueue-queue-label", ERROR, MISBEHAVES)
KUEUE_SUSPEND_IN_GIT = Rule("KTJ613", "kueue-suspend-in-git", WARNING, MISBEHAVES)
MANAGED_ELSEWHERE = Rule("KTJ620", "managed-elsewhere", ERROR, REJECTED)
NAME_INVALID = Rule("KTJ701", "name-invalid", ERROR, REJECTED)
GENERATED_NAME_TOO_LONG = Rule("KTJ702", "generated-name-too-long", ERROR, REJECTED)
PVC_NAME_TOO_LONG = Rule("KTJ703", "pvc-name-too-long", ERROR, REJECTED)
SUBDOMAIN_OR_GROUP_INVALID = Rule("KTJ704", "subdomain-or-group-invalid", ERROR, REJECTED)
COORDINATOR_INVALID = Rule("KTJ705", "coordinator-invalid", ERROR, REJECTED)
DEPENDS_ON_INVALID = Rule("KTJ706", "depends-on-invalid", ERROR, REJECTED)
POLICY_TARGET_UNKNOWN = Rule("KTJ707", "policy-target-unknown", ERROR, REJECTED)
FAILURE_RULE_INVALID = Rule("KTJ708", "failure-rule-invalid", ERROR, REJECTED)
VOLUME_CLAIM_INVALID = Rule("KTJ709", "volume-claim-invalid", ERROR, REJECTED)
SERVICE_NAME_COLLISION = Rule("KTJ710", "service-name-collision", ERROR, MISBEHAVES)
RESTART_POLICY_INVALID = Rule("KTJ711", "restart-policy-invalid", ERROR, LATE)
DEADLINE_NOT_ENFORCED = Rule("KTJ716", "deadline-not-enforced", WARNING, MISBEHAVES)
VOLUME_MOUNT_UNKNOWN = Rule("KTJ720", "volume-mount-unknown", ERROR, LATE)
CONTAINER_IMAGE_MISSING = Rule("KTJ721", "container-image-missing", ERROR, LATE)
POD_WITHOUT_CONTAINERS = Rule("KTJ722", "pod-without-containers", ERROR, LATE)
INIT_CONTAINER_FIELD = Rule("KTJ723", "init-container-field", ERROR, LATE)
POD_FAILURE_POLICY_INVALID = Rule("KTJ724", "pod-failure-policy-invalid", ERROR, LATE)
VOLUME_INVALID = Rule("KTJ725", "volume-invalid", ERROR, LATE)
JOB_COUNT_INVALID = Rule("KTJ726", "job-count-invalid", ERROR, LATE)
POD_LABEL_INVALID = Rule("KTJ727", "pod-label-invalid", ERROR, LATE)
POD_FIELD_NAME_INVALID = Rule("KTJ728", "pod-field-name-invalid", ERROR, LATE)
POD_FIELD_INVALID = Rule("KTJ729", "pod-field-invalid", ERROR, LATE)
JOB_NAME_INVALID = Rule("KTJ730", "job-name-invalid", ERROR, LATE)
IMMUTABLE_TRAINJOB_FIELD = Rule("KTJ801", "immutable-trainjob-field", ERROR, REJECTED)
IMMUTABLE_RUNTIME_PATCH = Rule("KTJ802", "immutable-runtime-patch", ERROR, REJECTED)
IMMUTABLE_JOBSET_FIELD = Rule("KTJ803", "immutable-jobset-field", ERROR, REJECTED)
GENERATE_NAME = Rule("KTJ805", "generate-name", ERROR, POLICY)
DUPLICATE_OBJECT = Rule("KTJ806", "duplicate-object", ERROR, MISBEHAVES)
NONDETERMINISTIC_OUTPUT = Rule("KTJ810", "nondeterministic-output", ERROR, MISBEHAVES)
GENERATED_SECRET_IN_GIT = Rule("KTJ811", "generated-secret-in-git", ERROR, MISBEHAVES, finds_secrets=True)
TTL_UNDER_GITOPS = Rule("KTJ812", "ttl-under-gitops", ERROR, MISBEHAVES)
SECRET_OF_EACH_RUN = Rule("KTJ813", "secret-of-each-run", WARNING, MISBEHAVES)
RUN_IS_HOOK = Rule("KTJ814", "run-is-hook", WARNING, MISBEHAVES)
SYNC_WAVE_AFTER_RUN = Rule("KTJ815", "sync-wave-after-run", WARNING, MISBEHAVES)
FLUX_SUBSTITUTION = Rule("KTJ816", "flux-substitution", WARNING, MISBEHAVES)
FORCED_RUN = Rule("KTJ817", "forced-run", ERROR, MISBEHAVES)
UNCONFIRMED_PRUNE = Rule("KTJ818", "unconfirmed-prune", WARNING, MISBEHAVES)
STALE_OUTPUT = Rule("KTJ819", "stale-output", ERROR, MISBEHAVES)
IMAGE_TAG_LATEST = Rule("KTJ901", "image-tag-latest", WARNING, POLICY)
SECRET_IN_ENV = Rule("KTJ904", "secret-in-env", ERROR, POLICY, finds_secrets=True)
IMAGE_INVALID = Rule("KTJ910", "image-invalid", ERROR, MISBEHAVES)
OME_VERSION = Rule("KTJ1001", "ome-version", ERROR, TOOL)
OME_FIELD = Rule("KTJ1002", "ome-field", ERROR, TOOL)
OME_RUNTIME_REF = Rule("KTJ1003", "ome-runtime-ref", ERROR, TOOL)
OME_RUNTIME = Rule("KTJ1004", "ome-runtime", ERROR, TOOL)
OME_NAME_TAKEN = Rule("KTJ1005", "ome-name-taken", ERROR, TOOL)
OME_RESERVED_LABEL = Rule("KTJ1006", "ome-reserved-label", ERROR, TOOL)
OME_PROCESSES = Rule("KTJ1007", "ome-processes", ERROR, TOOL)
OME_SETTING_MISSING = Rule("KTJ1010", "ome-setting-missing", ERROR, TOOL)
OME_MODEL_UNKNOWN = Rule("KTJ1011", "ome-model-unknown", ERROR, TOOL)
OME_STORAGE = Rule("KTJ1012", "ome-storage", ERROR, TOOL)
OME_MODEL_NODES = Rule("KTJ1013", "ome-model-nodes", ERROR, TOOL)
OME_GANG = Rule("KTJ1014", "ome-gang", ERROR, MISBEHAVES)
TUNING_FIELD = Rule("KTJ1020", "tuning-field", ERROR, TOOL)
TUNING_PARAMETER = Rule("KTJ1021", "tuning-parameter", ERROR, TOOL)
TUNING_TRIALS = Rule("KTJ1022", "tuning-trials", ERROR, TOOL)
TUNING_ENV = Rule("KTJ1023", "tuning-env", ERROR, MISBEHAVES)
TUNING_KATIB = Rule("KTJ1024", "tuning-katib", ERROR, TOOL)
SWEEP_TARGET = Rule("KTJ1025", "sweep-target", ERROR, TOOL)
TRIALS_NEED_TRAINER = Rule("KTJ1026", "trials-need-trainer", INFO, TOOL)
RANDOM_IS_GRID = Rule("KTJ1027", "random-is-grid", INFO, TOOL)
LEGACY_JOB_REJECTED = Rule("KTJ1051", "legacy-job-rejected", ERROR, REJECTED)
LEGACY_FIELD_DROPPED = Rule("KTJ1052", "legacy-field-dropped", WARNING, MISBEHAVES)
MIGRATION_REVIEW = Rule("KTJ1053", "migration-review", WARNING, MISBEHAVES)
MIGRATION_DIFFERENCE = Rule("KTJ1054", "migration-difference", INFO, MISBEHAVES)

RULES: Mapping[str, Rule] = {each.id: each for each in tuple(globals().values()) if isinstance(each, Rule)}
"""By id."""


def rules_named(text: str) -> tuple[Rule, ...]:
    """The rules of an id, a name, or the start of an id such as "KTJ3"; "ALL" means all rules."""
    rule = rule_named(text)
    if rule or not (text == "ALL" or text.startswith("KTJ")):
        return (rule,) if rule else ()
    return tuple(each for each in RULES.values() if text == "ALL" or each.id.startswith(text))


def rule_named(text: str) -> Rule | None:
    """The rule of an id or a name."""
    return RULES.get(text) or next((rule for rule in RULES.values() if rule.name == text), None)
