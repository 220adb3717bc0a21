"""A random search of OME's documentation on the control plane: ten trials run to their end, each in its folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.cluster import fake_nodes
from tests.cluster.applying import MANAGER
from tests.cluster.ownership import Object
from tests.cluster.plane.client import Client
from tests.cluster.plane.plane import Plane
from tests.cluster.running import final_states, identity, unfinished
from tests.conformance.ome.cases import cases, run, write

pytestmark = pytest.mark.cluster

TRIALS = 10
CLAIM = "work"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Object]:
    """What a build makes of the first complete example of the document, in a namespace."""
    root = tmp_path_factory.mktemp("sweep")
    path = write(cases()["seed/llama-finetune"], Path(root))
    built = run("build", path, "-n", "research", at=Path(root))
    assert built.code == 0, built.err
    return list(yaml.safe_load_all(built.out))


@pytest.fixture(scope="module")
def client(control_plane: type[Plane], objects: list[Object]) -> Iterator[Client]:
    """JobSet without Trainer, fake nodes, and the claim of the settings."""
    jobsets = [one for one in objects if one["kind"] == "JobSet"]
    with control_plane("jobset-manager", "kube-scheduler", "kwok") as plane:
        fake_nodes.furnish(plane.client, jobsets)
        plane.client.create_namespace("research")
        _create_claim(plane.client)
        yield plane.client


def test_ten_trials_run_to_completed_in_folders_of_their_own(
    client: Client, objects: list[Object], note_figure: Callable[[str], None]
) -> None:
    jobsets = {identity(one): one["metadata"]["name"] for one in objects if one["kind"] == "JobSet"}
    assert len(jobsets) == TRIALS
    for one in objects:
        client.apply(one, MANAGER)
    failures = unfinished(client, final_states(client, set(jobsets)), jobsets)
    assert not failures, "\n".join(failures)
    selected = {"labelSelector": "kubectl-trainjob.dev/sweep=llama-finetune"}["labelSelector"].partition("=")
    labelled = [one for one in client.items("jobset.x-k8s.io/v1alpha2", "JobSet") if _has_label(one, selected)]
    assert len(labelled) == TRIALS
    folders = _folders(client.items("v1", "Pod"))
    assert set(folders) == set(jobsets.values())
    used = [folder for each in folders.values() for folder in each]
    assert len(used) == len(set(used)) == 2 * TRIALS, "a dataset and an output folder of each trial"
    note_figure(f"trials of a random search that run to their end in their own folders: {len(folders)}")


def _has_label(one: Object, selected: tuple[str, str, str]) -> bool:
    return one["metadata"].get("labels", {}).get(selected[0]) == selected[2]


def _folders(pods: list[Object]) -> dict[str, set[str]]:
    """The folders of the shared claim that the containers of each trial mount, as the kubelet would expand them."""
    found: dict[str, set[str]] = {}
    for pod in pods:
        trial = pod["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"]
        for container in pod["spec"]["containers"]:
            variable = next(each for each in container["env"] if each["name"] == "JOBSET_NAME")
            path = variable["valueFrom"]["fieldRef"]["fieldPath"]
            assert path == "metadata.labels['jobset.sigs.k8s.io/jobset-name']"
            mounts = [each for each in container["volumeMounts"] if each["name"] == "initializer"]
            assert mounts
            expanded = {each["subPathExpr"].replace("$(JOBSET_NAME)", trial) for each in mounts}
            found.setdefault(trial, set()).update(expanded)
    return found


def _create_claim(client: Client) -> None:
    """A bound claim: no provisioner runs here."""
    size = {"storage": "1Ti"}
    spec = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "research", "name": CLAIM}
    volume = {**spec, "capacity": size, "hostPath": {"path": "/work"}, "claimRef": reference}
    client.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": CLAIM}, "spec": volume})
    bound = {"pv.kubernetes.io/bind-completed": "yes"}
    claim = {**spec, "resources": {"requests": size}, "volumeName": CLAIM}
    metadata = {"name": CLAIM, "namespace": "research", "annotations": bound}
    client.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": claim})
