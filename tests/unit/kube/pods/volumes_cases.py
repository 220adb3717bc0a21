"""Volumes, mounts and claims: which fields are rejected."""

from __future__ import annotations

from collections.abc import Iterator

from tests.unit.kube.pods.building import MAIN, POD, Case, claim, container, mounted, pod, volume


def _of_mounts() -> Iterator[Case]:
    first = f"{MAIN}.volumeMounts[0]"
    second = f"{MAIN}.volumeMounts[1]"
    mount = {"name": "v", "mountPath": "/a"}
    yield Case("mount of a volume", mounted(mount))
    yield Case("mount of none", mounted({"name": "x", "mountPath": "/a"}), (f"KTJ720 {first}.name",))
    yield Case("mount of one alike", mounted({"name": "clam", "mountPath": "/a"}), (f"KTJ720 {first}.name",))
    yield Case("mount without a path", mounted({"name": "v", "mountPath": ""}), (f"KTJ729 {first}.mountPath",))
    yield Case(
        "two mounts at one path", mounted(mount, {"name": "claim", "mountPath": "/a"}), (f"KTJ729 {second}.mountPath",)
    )
    yield Case("subPath from the root", mounted({**mount, "subPath": "/x"}), (f"KTJ729 {first}.subPath",))
    yield Case("subPathExpr up", mounted({**mount, "subPathExpr": "a/../b"}), (f"KTJ729 {first}.subPathExpr",))
    yield Case(
        "both of subPath", mounted({**mount, "subPath": "a", "subPathExpr": "a"}), (f"KTJ729 {first}.subPathExpr",)
    )
    yield Case(
        "bidirectional", mounted({**mount, "mountPropagation": "Bidirectional"}), (f"KTJ729 {first}.mountPropagation",)
    )
    yield Case(
        "bidirectional and privileged",
        mounted({**mount, "mountPropagation": "Bidirectional"}, securityContext={"privileged": True}),
    )
    yield Case(
        "recursive and writable",
        mounted({**mount, "recursiveReadOnly": "Enabled"}),
        (f"KTJ729 {first}.recursiveReadOnly",),
    )
    device = {"name": "claim", "devicePath": "/dev/a"}
    at = f"{MAIN}.volumeDevices"
    yield Case("device", mounted(volumeDevices=[device]))
    yield Case("device of no volume", mounted(volumeDevices=[{**device, "name": "x"}]), (f"KTJ720 {at}[0].name",))
    yield Case("device of a folder", mounted(volumeDevices=[{**device, "name": "v"}]), (f"KTJ729 {at}[0].name",))
    yield Case(
        "device that is mounted",
        mounted({**device, "mountPath": "/b"}, volumeDevices=[device]),
        (f"KTJ729 {first}.name", f"KTJ729 {at}[0].name"),
    )


def _of_volumes() -> Iterator[Case]:
    at = f"{POD}.volumes[0]"
    yield Case("volume without a source", volume())
    yield Case(
        "two sources",
        volume(emptyDir={}, persistentVolumeClaim={"claimName": "a"}),
        (f"KTJ725 {at}.persistentVolumeClaim",),
    )
    yield Case(
        "claim without a name",
        volume(persistentVolumeClaim={"claimName": ""}),
        (f"KTJ725 {at}.persistentVolumeClaim.claimName",),
    )
    yield Case("name of a volume", pod(volumes=[{"name": "V_1"}]), (f"KTJ725 {at}.name",))
    yield Case(
        "invalid volume is not there",
        pod(volumes=[{"name": "V"}], containers=[container(volumeMounts=[{"name": "V", "mountPath": "/a"}])]),
        (f"KTJ725 {at}.name", f"KTJ720 {MAIN}.volumeMounts[0].name"),
    )
    yield Case("size below nothing", volume(emptyDir={"sizeLimit": "-1"}), (f"KTJ725 {at}.emptyDir.sizeLimit",))
    yield Case("path up", volume(hostPath={"path": "/a/.."}), (f"KTJ725 {at}.hostPath.path",))
    yield Case("type of a hostPath", volume(hostPath={"path": "/a", "type": "Dir"}), (f"KTJ725 {at}.hostPath.type",))
    yield Case("relative nfs path", volume(nfs={"server": "a", "path": "b"}), (f"KTJ725 {at}.nfs.path",))
    yield Case(
        "mode of files", volume(configMap={"name": "a", "defaultMode": 512}), (f"KTJ725 {at}.configMap.defaultMode",)
    )
    yield Case(
        "path of a file",
        volume(secret={"secretName": "a", "items": [{"key": "a", "path": "..b"}]}),
        (f"KTJ725 {at}.secret.items[0].path",),
    )
    down = f"{at}.downwardAPI.items[0]"
    yield Case(
        "labels in a file", volume(downwardAPI={"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.labels"}}]})
    )
    yield Case(
        "node in a file",
        volume(downwardAPI={"items": [{"path": "a", "fieldRef": {"fieldPath": "spec.nodeName"}}]}),
        (f"KTJ725 {down}.fieldRef.fieldPath",),
    )
    yield Case("file of nothing", volume(downwardAPI={"items": [{"path": "a"}]}), (f"KTJ725 {down}",))
    amount = {"resource": "limits.cpu"}
    yield Case(
        "whose limit",
        volume(downwardAPI={"items": [{"path": "a", "resourceFieldRef": amount}]}),
        (f"KTJ725 {down}.resourceFieldRef.containerName",),
    )
    both = {"path": "a", "fieldRef": {"fieldPath": "metadata.name"}, "resourceFieldRef": amount}
    yield Case("two contents of a file", volume(downwardAPI={"items": [both]}), (f"KTJ725 {down}",))
    token = {"serviceAccountToken": {"path": "t", "expirationSeconds": 599}}
    yield Case(
        "short token",
        volume(projected={"sources": [token]}),
        (f"KTJ725 {at}.projected.sources[0].serviceAccountToken.expirationSeconds",),
    )
    one = {"secret": {"name": "a", "items": [{"key": "a", "path": "p"}]}}
    other = {"configMap": {"name": "a", "items": [{"key": "a", "path": "p"}]}}
    yield Case("two files of one path", volume(projected={"sources": [one, other]}), (f"KTJ725 {at}.projected",))
    mixed = {"secret": {"name": "a"}, "configMap": {"name": "a"}}
    yield Case("two sources in one", volume(projected={"sources": [mixed]}), (f"KTJ725 {at}.projected.sources[0]",))
    yield Case("csi driver", volume(csi={"driver": "Acme.io"}))
    yield Case("csi driver too long", volume(csi={"driver": "a" * 64}), (f"KTJ725 {at}.csi.driver",))
    yield Case("image", volume(image={"reference": "acme/a:1", "pullPolicy": "x"}), (f"KTJ725 {at}.image.pullPolicy",))
    yield Case("values of a removed type", volume(flocker={"datasetName": "a/b"}))
    yield Case("a removed type without a field", volume(storageos={}), (f"KTJ725 {at}.storageos.volumeName",))
    yield Case("fibre channel", volume(fc={"targetWWNs": ["a"], "lun": 256}), (f"KTJ725 {at}.fc.lun",))
    yield Case("fibre channel without lun", volume(fc={"targetWWNs": ["a"]}), (f"KTJ725 {at}.fc.lun",))
    chap = {"targetPortal": "a", "iqn": "iqn.2026-01.a:b", "lun": 1, "chapAuthSession": True}
    yield Case("iscsi", volume(iscsi=chap), (f"KTJ725 {at}.iscsi.secretRef",))


def _of_claims() -> Iterator[Case]:
    at = f"{POD}.volumes[0].ephemeral.volumeClaimTemplate"
    yield Case("claim of a Pod", claim())
    yield Case("no template", volume(ephemeral={}), (f"KTJ725 {POD}.volumes[0].ephemeral.volumeClaimTemplate",))
    yield Case("no access modes", claim(accessModes=[]), (f"KTJ725 {at}.spec.accessModes",))
    yield Case("unknown access mode", claim(accessModes=["Once"]), (f"KTJ725 {at}.spec.accessModes",))
    yield Case(
        "modes that exclude each other",
        claim(accessModes=["ReadWriteOncePod", "ReadWriteMany"]),
        (f"KTJ725 {at}.spec.accessModes",),
    )
    yield Case("no storage", claim(resources={}), (f"KTJ725 {at}.spec.resources.requests.storage",))
    yield Case(
        "nothing of storage",
        claim(resources={"requests": {"storage": 0}}),
        (f"KTJ725 {at}.spec.resources.requests.storage",),
    )
    source = {"apiGroup": "", "kind": "PersistentVolumeClaim", "name": "a"}
    yield Case("source", claim(dataSource=source, dataSourceRef=source))
    yield Case("kind of a source", claim(dataSource={**source, "kind": "Snapshot"}), (f"KTJ725 {at}.spec.dataSource",))
    yield Case(
        "two sources of data", claim(dataSource=source, dataSourceRef={**source, "name": "b"}), (f"KTJ725 {at}.spec",)
    )
    yield Case(
        "source elsewhere", claim(dataSource=source, dataSourceRef={**source, "namespace": "b"}), (f"KTJ725 {at}.spec",)
    )
    named = {
        "metadata": {"name": "a"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1}}},
    }
    yield Case("name of a template", volume(ephemeral={"volumeClaimTemplate": named}), (f"KTJ725 {at}.metadata.name",))


def cases() -> Iterator[Case]:
    yield from _of_mounts()
    yield from _of_volumes()
    yield from _of_claims()
