"""The parent that a user names: `NAME` and `configmap/NAME` are ConfigMaps, `trainingset/NAME` is a set of the loop."""

from __future__ import annotations

from kubectl_trainjob.cluster.api import Api
from kubectl_trainjob.cluster.inventory import Inventory
from kubectl_trainjob.cluster.parent import ConfigMapStore, Store
from kubectl_trainjob.cluster.training_set_store import TrainingSetStore
from kubectl_trainjob.kube.facts.kinds import means_kind
from kubectl_trainjob.kube.facts.validation import dns_1123_subdomain
from kubectl_trainjob.model.faults import EnvironmentFault

_KINDS = ("ConfigMap", "TrainingSet")


def kind_and_name(text: str) -> tuple[str, str]:
    """The kind of a parent, and its name. Raises ValueError for other kinds, and for a name that no object can have."""
    word, _, name = text.rpartition("/")
    kind = next((each for each in _KINDS if means_kind(word.partition(".")[0], each)), "" if word else _KINDS[0])
    if not kind or not name:
        raise ValueError(f"{text}: the parent of a set is a ConfigMap or a TrainingSet; write NAME or trainingset/NAME")
    if error := dns_1123_subdomain(name):
        raise ValueError(f'the name of a set "{name}" {error}')
    return kind, name


def inherited_of(store: Store) -> Inventory:
    """The inventory of a set that is taken over. Raises EnvironmentFault without it: what is over would run again."""
    parent = store.read()
    if not parent.uid:
        raise EnvironmentFault(
            f"{store.name} does not exist in namespace {store.name.namespace}, so it has no objects to take over; "
            "correct the name, or remove it if they are already here"
        )
    return parent.inventory


def store_of(api: Api, namespace: str, text: str) -> Store:
    """The store of a parent. Raises EnvironmentFault if the cluster has no TrainingSets."""
    kind, name = kind_and_name(text)
    if kind == "ConfigMap":
        return ConfigMapStore(api, namespace, name)
    store = TrainingSetStore(api, namespace, name)
    if not api.has_kind(store.name.parent.api_version, kind):
        raise EnvironmentFault("the cluster does not know TrainingSets; install them with integrations controller")
    return store
