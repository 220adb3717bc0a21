"""Security, scheduling and what else a Pod states: which fields are rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.unit.kube.pods.building import MAIN, POD, SELECTOR, Body, Case, container, main, pod


def _of_security() -> Iterator[Case]:
    at = f"{POD}.securityContext"
    yield Case("user", pod(securityContext={"runAsUser": -1}), (f"KTJ729 {at}.runAsUser",))
    yield Case(
        "profile without type",
        main(securityContext={"seccompProfile": {}}),
        (f"KTJ729 {MAIN}.securityContext.seccompProfile.type",),
    )
    yield Case(
        "profile up",
        pod(securityContext={"seccompProfile": {"type": "Localhost", "localhostProfile": "../a"}}),
        (f"KTJ729 {at}.seccompProfile.localhostProfile",),
    )
    yield Case(
        "padded profile",
        pod(securityContext={"appArmorProfile": {"type": "Localhost", "localhostProfile": " a"}}),
        (f"KTJ729 {at}.appArmorProfile.localhostProfile",),
    )
    yield Case(
        "sysctl of the node",
        pod(hostNetwork=True, securityContext={"sysctls": [{"name": "net.a", "value": "1"}]}),
        (f"KTJ729 {at}.sysctls[0].name",),
    )
    yield Case(
        "mount policy",
        pod(securityContext={"seLinuxChangePolicy": "MountOption"}),
        (f"KTJ729 {at}.seLinuxChangePolicy",),
    )
    lesser = {"allowPrivilegeEscalation": False, "capabilities": {"add": ["CAP_SYS_ADMIN"]}}
    yield Case("more and less rights", main(securityContext=lesser), (f"KTJ729 {MAIN}.securityContext",))
    yield Case(
        "unmasked", main(securityContext={"procMount": "Unmasked"}), (f"KTJ729 {MAIN}.securityContext.procMount",)
    )
    yield Case(
        "unmasked for own users",
        pod(hostUsers=False, containers=[container(securityContext={"procMount": "Unmasked"})]),
    )
    yield Case(
        "own users and the node's network", pod(hostUsers=False, hostNetwork=True), (f"KTJ729 {POD}.hostNetwork",)
    )
    yield Case(
        "processes of all", pod(hostPID=True, shareProcessNamespace=True), (f"KTJ729 {POD}.shareProcessNamespace",)
    )
    windows = pod(os={"name": "windows"}, securityContext={"windowsOptions": {"hostProcess": True}})
    yield Case("windows is not checked", windows)
    yield Case("unknown system", pod(os={"name": "plan9"}), (f"KTJ729 {POD}.os",))


def _of_scheduling() -> Iterator[Case]:
    at = f"{POD}.tolerations[0]"
    yield Case("toleration of all", pod(tolerations=[{"operator": "Exists"}]))
    yield Case(
        "operator of a toleration", pod(tolerations=[{"key": "a", "operator": "Exist"}]), (f"KTJ729 {at}.operator",)
    )
    yield Case("toleration of nothing", pod(tolerations=[{"value": "a"}]), (f"KTJ729 {at}.operator",))
    yield Case(
        "value beside Exists",
        pod(tolerations=[{"key": "a", "operator": "Exists", "value": "b"}]),
        (f"KTJ729 {at}.operator",),
    )
    yield Case(
        "seconds of another effect", pod(tolerations=[{"key": "a", "tolerationSeconds": 1}]), (f"KTJ729 {at}.effect",)
    )
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": SELECTOR}
    place = f"{POD}.topologySpreadConstraints[0]"
    yield Case("spread", pod(topologySpreadConstraints=[spread]))
    yield Case("skew", pod(topologySpreadConstraints=[{**spread, "maxSkew": 0}]), (f"KTJ729 {place}.maxSkew",))
    yield Case(
        "spread twice",
        pod(topologySpreadConstraints=[spread, {**spread, "maxSkew": 2}]),
        (f"KTJ729 {place}",),
    )
    both = {
        **spread,
        "matchLabelKeys": ["b"],
        "labelSelector": {"matchLabels": {"b": "c"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]},
    }
    yield Case("key of a selector twice", pod(topologySpreadConstraints=[both]), (f"KTJ727 {place}.matchLabelKeys[0]",))
    yield Case(
        "keys without selector",
        pod(topologySpreadConstraints=[{**spread, "matchLabelKeys": ["b"], "labelSelector": None}]),
        (f"KTJ727 {place}.matchLabelKeys",),
    )
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    node = f"{POD}.affinity.nodeAffinity.{required}.nodeSelectorTerms"
    yield Case("no terms", pod(affinity={"nodeAffinity": {required: {"nodeSelectorTerms": []}}}), (f"KTJ729 {node}",))

    def affine(**requirement: Any) -> Body:
        return pod(affinity={"nodeAffinity": {required: {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}})

    yield Case("node", affine(key="a", operator="Gt", values=["1"]))
    yield Case("no values", affine(key="a", operator="In"), (f"KTJ729 {node}[0].matchExpressions[0].values",))
    yield Case(
        "unknown operator", affine(key="a", operator="Equal"), (f"KTJ729 {node}[0].matchExpressions[0].operator",)
    )
    yield Case("gate twice", pod(schedulingGates=[{"name": "a/b"}, {"name": "a"}]))
    yield Case("node label", pod(nodeSelector={"a": "b c"}), (f"KTJ727 {POD}.nodeSelector",))


def _of_pods() -> Iterator[Case]:
    yield Case("dns", pod(dnsPolicy="None"), (f"KTJ729 {POD}.dnsConfig",))
    yield Case("no nameserver", pod(dnsPolicy="None", dnsConfig={}), (f"KTJ729 {POD}.dnsConfig.nameservers",))
    long = ["a" * 60] * 34
    yield Case("many searches", pod(dnsConfig={"searches": long}), (f"KTJ729 {POD}.dnsConfig.searches",))
    yield Case(
        "alias",
        pod(hostAliases=[{"ip": "1.2.3.04", "hostnames": ["A"]}]),
        (f"KTJ729 {POD}.hostAliases[0].ip", f"KTJ729 {POD}.hostAliases[0].hostnames[0]"),
    )
    yield Case("service account", pod(serviceAccountName="A"), (f"KTJ729 {POD}.serviceAccountName",))
    yield Case("old name of it", pod(serviceAccount="A"), (f"KTJ729 {POD}.serviceAccountName",))
    yield Case("deadline of a Pod", pod(activeDeadlineSeconds=0), (f"KTJ729 {POD}.activeDeadlineSeconds",))
    yield Case("class", pod(runtimeClassName=""), (f"KTJ729 {POD}.runtimeClassName",))
    yield Case(
        "claim of two",
        pod(resourceClaims=[{"name": "a", "resourceClaimName": "a", "resourceClaimTemplateName": "b"}]),
        (f"KTJ729 {POD}.resourceClaims[0]",),
    )
    debug = [{"name": "d", "image": "acme/d:1"}]
    yield Case("ephemeral container", pod(ephemeralContainers=debug), (f"KTJ729 {POD}.ephemeralContainers",))


def cases() -> Iterator[Case]:
    yield from _of_security()
    yield from _of_scheduling()
    yield from _of_pods()
