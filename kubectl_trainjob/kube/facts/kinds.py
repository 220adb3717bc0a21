"""The registry of kinds: what this tool does with an object, and what all kinds have in common.

Code that asks "is this a training job, a runtime, configuration" asks `role_of`: a new front end adds rows only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

from kubectl_trainjob.kube.facts import jobset, ome, trainer
from kubectl_trainjob.model.source import mapping_at, value_at
from kubectl_trainjob.model.stages import Body, Manifest, ObjectId


class KindRole(Enum):
    """What this tool does with the objects of a kind."""

    TRAINING_JOB = auto()
    """Expanded with a runtime."""
    RUNTIME = auto()
    JOB_SET = auto()
    """Generated from a training job, or from a user; its Pods run."""
    POD_GROUP = auto()
    CONFIGURATION = auto()
    """Configures this tool, and is never printed."""
    KUSTOMIZATION = auto()
    """Configures kustomize, and is never printed."""
    SOURCE_JOB = auto()
    """Converted to TrainJobs by a front end."""
    SOURCE_RUNTIME = auto()
    """Converted by a front end, separately or with the jobs that refer to it."""
    MODEL = auto()
    """Copied unchanged; also found in the directories of runtimes."""
    LEGACY = auto()
    """A training kind that cannot be expanded."""
    OTHER = auto()
    """Copied unchanged."""


class Kind(NamedTuple):
    """A row of the registry: `version` is the one with the role, "" for any; `advice` says what to write instead.

    `front_end` is the package of `frontends` that converts the objects of the kind, "" for none.
    """

    group: str
    version: str
    name: str
    role: KindRole
    advice: str = ""
    front_end: str = ""


CONFIGURATION_GROUP = "kubectl-trainjob.dev"
CONFIG, OVERLAY, COMPONENT = "Config", "Overlay", "Component"
TRAINING_SET = "TrainingSet"
"""The only kind of the group that is an object of a cluster."""
_TRAIN_JOB = "write a TrainJob"
MIGRATE = "run kubectl trainjob migrate"
"""The advice for kinds that the command converts; the path of the file follows."""
_OTHER_VERSION = f"write apiVersion: {trainer.API_VERSION}"

_OLDER = (("kubeflow.org", "v2alpha1"), (trainer.GROUP, "v2alpha1"), (trainer.GROUP, "v2"))
OLDER_VERSIONS = tuple(f"{group}/{version}" for group, version in _OLDER)
"""The APIs of Trainer before v1alpha1; its guides also have the last one, which was never released."""

KINDS = (
    *(Kind(*api, trainer.TRAIN_JOB, KindRole.SOURCE_JOB, front_end="older") for api in _OLDER),
    *(Kind(*api, trainer.TRAINING_RUNTIME, KindRole.SOURCE_RUNTIME, front_end="older") for api in _OLDER),
    *(Kind(*api, trainer.CLUSTER_TRAINING_RUNTIME, KindRole.SOURCE_RUNTIME, front_end="older") for api in _OLDER),
    Kind(trainer.GROUP, "v1alpha1", trainer.TRAIN_JOB, KindRole.TRAINING_JOB),
    Kind(trainer.GROUP, "v1alpha1", trainer.TRAINING_RUNTIME, KindRole.RUNTIME),
    Kind(trainer.GROUP, "v1alpha1", trainer.CLUSTER_TRAINING_RUNTIME, KindRole.RUNTIME),
    Kind("jobset.x-k8s.io", "v1alpha2", jobset.KIND, KindRole.JOB_SET),
    Kind("scheduling.x-k8s.io", "v1alpha1", trainer.POD_GROUP, KindRole.POD_GROUP),
    Kind(CONFIGURATION_GROUP, "", CONFIG, KindRole.CONFIGURATION),
    Kind(CONFIGURATION_GROUP, "", OVERLAY, KindRole.CONFIGURATION),
    Kind(CONFIGURATION_GROUP, "", COMPONENT, KindRole.CONFIGURATION),
    Kind("kustomize.config.k8s.io", "", "Kustomization", KindRole.KUSTOMIZATION),
    Kind("kustomize.config.k8s.io", "", "Component", KindRole.KUSTOMIZATION),
    Kind("kubeflow.org", "", "PyTorchJob", KindRole.LEGACY, MIGRATE),
    Kind("kubeflow.org", "", "MPIJob", KindRole.LEGACY, MIGRATE),
    Kind("kubeflow.org", "", "TFJob", KindRole.LEGACY, MIGRATE),
    Kind("kubeflow.org", "", "XGBoostJob", KindRole.LEGACY, MIGRATE),
    Kind("kubeflow.org", "", "JAXJob", KindRole.LEGACY, MIGRATE),
    Kind("kubeflow.org", "", "PaddleJob", KindRole.LEGACY, MIGRATE),
    Kind("kubeflow.org", "", trainer.TRAIN_JOB, KindRole.LEGACY, _OTHER_VERSION),
    Kind("kubeflow.org", "", trainer.TRAINING_RUNTIME, KindRole.LEGACY, _OTHER_VERSION),
    Kind("kubeflow.org", "", trainer.CLUSTER_TRAINING_RUNTIME, KindRole.LEGACY, _OTHER_VERSION),
    Kind(ome.GROUP, "", ome.TRAINING_JOB, KindRole.SOURCE_JOB, front_end="ome"),
    Kind(ome.GROUP, "", ome.TRAINING_RUNTIME, KindRole.SOURCE_RUNTIME, front_end="ome"),
    Kind(ome.GROUP, "", ome.CLUSTER_TRAINING_RUNTIME, KindRole.SOURCE_RUNTIME, front_end="ome"),
    Kind(ome.GROUP, "", ome.BASE_MODEL, KindRole.MODEL, front_end="ome"),
    Kind(ome.GROUP, "", ome.CLUSTER_BASE_MODEL, KindRole.MODEL, front_end="ome"),
)
_BY_NAME = {(kind.group, kind.name): kind for kind in KINDS}
_ROLES = {(f"{kind.group}/{kind.version}", kind.name): kind.role for kind in KINDS}
_FRONT_ENDS = {(f"{kind.group}/{kind.version}", kind.name): kind.front_end for kind in KINDS if kind.version}
_OF_ANY_VERSION = frozenset(kind.name for kind in KINDS if not kind.version)

_CLUSTER_SCOPED = """
    APIService AdmissionCheck CSIDriver CSINode CertificateSigningRequest ClusterBaseModel ClusterQueue ClusterRole
    ClusterRoleBinding ClusterTrainingRuntime ClusterTrustBundle Cohort ComponentStatus CustomResourceDefinition
    DeviceClass FlowSchema IPAddress IngressClass MultiKueueCluster MultiKueueConfig MutatingAdmissionPolicy
    MutatingAdmissionPolicyBinding MutatingWebhookConfiguration Namespace Node PersistentVolume PriorityClass
    PriorityLevelConfiguration ProvisioningRequestConfig ResourceFlavor ResourceSlice RuntimeClass ServiceCIDR
    StorageClass Topology ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration
    VolumeAttachment VolumeAttributesClass WorkloadPriorityClass
"""
CLUSTER_SCOPED = frozenset(_CLUSTER_SCOPED.split())
"""Kinds without a namespace; every other kind is assumed to have one, as in kustomize."""

_FIRST = """
    Namespace CustomResourceDefinition PriorityClass ServiceAccount Role ClusterRole RoleBinding ClusterRoleBinding
    Secret ConfigMap PersistentVolume PersistentVolumeClaim ClusterTrainingRuntime TrainingRuntime
"""
EXPERIMENT = "Experiment"
_OTHERS = ("Job", "CronJob", "Service", EXPERIMENT)
_LAST = (trainer.POD_GROUP, jobset.KIND, trainer.TRAIN_JOB)
_ORDER = {kind: index for index, kind in enumerate(_FIRST.split())} | {
    kind: 100 + index for index, kind in enumerate(_LAST)
}

LARGEST_CONFIG_MAP = 1 << 20
"""The bytes of data that the API server accepts in one ConfigMap."""


def group_of(api_version: str) -> str:
    """The group of an apiVersion, "" for the core group."""
    return api_version.rpartition("/")[0]


def find_kind(group: str, name: str) -> Kind | None:
    """The row of a kind, None for kinds that are copied unchanged."""
    return _BY_NAME.get((group, name))


def role_of(identity: ObjectId) -> KindRole:
    """The role of an object's kind; another version than the one of the row has none."""
    role = _ROLES.get((identity.api_version, identity.kind))
    if role is not None or identity.kind not in _OF_ANY_VERSION:
        return role or KindRole.OTHER
    kind = find_kind(group_of(identity.api_version), identity.kind)
    return kind.role if kind and not kind.version else KindRole.OTHER


def front_end_of(identity: ObjectId) -> str:
    """The front end that converts an object, "" for none."""
    kind = find_kind(group_of(identity.api_version), identity.kind)
    own = kind.front_end if kind and not kind.version else ""
    return _FRONT_ENDS.get((identity.api_version, identity.kind), own)


def is_training_kind(group: str, name: str) -> bool:
    """Whether a kind is one of training jobs in any version."""
    kind = find_kind(group, name)
    return kind is not None and kind.role in (KindRole.TRAINING_JOB, KindRole.SOURCE_JOB)


def kinds_with(*roles: KindRole) -> tuple[Kind, ...]:
    """The rows with one of the roles."""
    return tuple(kind for kind in KINDS if kind.role in roles)


def is_train_job(manifest: Manifest) -> bool:
    """Whether the object is a training job, which can be expanded."""
    return role_of(manifest.id) is KindRole.TRAINING_JOB


def is_runtime(manifest: Manifest) -> bool:
    """Whether the object is a runtime that TrainJobs can refer to."""
    return role_of(manifest.id) is KindRole.RUNTIME


def is_training_input(manifest: Manifest) -> bool:
    """Whether the object is a training job, which a front end may have to convert first."""
    return role_of(manifest.id) in (KindRole.TRAINING_JOB, KindRole.SOURCE_JOB)


def is_library_object(manifest: Manifest) -> bool:
    """Whether training jobs can refer to the object: a runtime or a model, which directories of runtimes provide."""
    return role_of(manifest.id) in (KindRole.RUNTIME, KindRole.SOURCE_RUNTIME, KindRole.MODEL)


def is_of_training(manifest: Manifest) -> bool:
    """Whether the object is one that this tool builds or checks: a training job, what it can refer to, or a JobSet."""
    is_input = is_training_input(manifest) or is_library_object(manifest)
    return is_input or role_of(manifest.id) is KindRole.JOB_SET


def is_job(identity: ObjectId) -> bool:
    """Whether the object starts Pods that train and can be suspended: a training job or a JobSet."""
    return role_of(identity) in (KindRole.TRAINING_JOB, KindRole.JOB_SET)


def starts_trials(identity: ObjectId) -> bool:
    """Whether the object is a search of Katib, which creates trials and whose end is theirs."""
    return identity.kind == EXPERIMENT and group_of(identity.api_version) == "kubeflow.org"


def is_pod_group(body: Body) -> bool:
    """Whether the object is a PodGroup of a gang scheduler that Trainer supports."""
    versions = (trainer.COSCHEDULING_API_VERSION, trainer.VOLCANO_API_VERSION)
    return body["kind"] == trainer.POD_GROUP and body["apiVersion"] in versions


def means_kind(word: str, kind: str) -> bool:
    """Whether an argument means the kind: in any case, singular or plural."""
    word, kind = word.lower(), kind.lower()
    return word in (kind, f"{kind}s", f"{kind}es", f"{kind[:-1]}ies")


def object_words(words: Sequence[str], most: int | None = None) -> tuple[list[str], list[str]]:
    """Arguments as names, `KIND/NAME` or `NAME`, at `most` so many, and the other arguments.

    As in kubectl, the name or the names can follow the kind as words.
    """
    kind, *others = words or [""]
    if not others or not is_usual(kind.partition(".")[0]):
        return list(words[:most]), list(words[most:] if most else ())
    return [each if "/" in each else f"{kind}/{each}" for each in others[:most]], others[most:] if most else []


def is_usual(word: str) -> bool:
    """Whether an argument means a kind that is known here; other kinds are possible, too."""
    return any(means_kind(word, each) for each in _usual_kinds())


@cache
def _usual_kinds() -> frozenset[str]:
    return frozenset((*CLUSTER_SCOPED, *_ORDER, *_OTHERS, *(kind.name for kind in KINDS)))


def means_training_job(word: str) -> bool:
    """Whether an argument means a kind of training job."""
    return any(means_kind(word, kind.name) for kind in kinds_with(KindRole.TRAINING_JOB))


def print_order(kind: str) -> int:
    """The position in a build: namespaces before their objects, PodGroups before JobSets."""
    return _ORDER.get(kind, 50)


def runtime_ref(job: Manifest) -> Mapping[str, Any]:
    """The TrainJob's `spec.runtimeRef` as written, {} for none."""
    return mapping_at(job.body, "spec", "runtimeRef")


def referenced_names(job: Manifest) -> tuple[str, ...]:
    """The names of the runtime and of the model that a training job refers to."""
    model = value_at(job.body, ("spec", "modelConfig", "inputModel"))
    return str(runtime_ref(job).get("name")), *([model] if isinstance(model, str) else [])
