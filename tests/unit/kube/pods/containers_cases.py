"""Containers: resources, ports, variables, probes: which fields are rejected."""

from __future__ import annotations

from collections.abc import Iterator

from tests.unit.kube.pods.building import (
    EXEC,
    IN,
    INIT,
    MAIN,
    POD,
    Case,
    container,
    init,
    main,
    pod,
    resources,
)


def _of_resources() -> Iterator[Case]:
    gpu = "nvidia.com/gpu"
    at = f"{MAIN}.resources"
    yield Case("no resources", main())
    yield Case("limit only", resources(None, {gpu: 1}))
    yield Case("equal in another spelling", resources({gpu: "1k"}, {gpu: 1000}))
    yield Case("request below the limit", resources({"cpu": "500m"}, {"cpu": 1}))
    yield Case("request without limit", resources({"cpu": 1, "memory": "1Gi"}))
    yield Case("device without limit", resources({gpu: 1}), (f"KTJ301 {at}.limits",))
    yield Case("huge pages without limit", resources({"cpu": 1, "hugepages-2Mi": "2Mi"}), (f"KTJ301 {at}.limits",))
    yield Case("device below its limit", resources({gpu: 1}, {gpu: 2}), (f"KTJ302 {at}.requests",))
    yield Case("device above its limit", resources({gpu: 2}, {gpu: 1}), (f"KTJ302 {at}.requests",))
    yield Case("part of a device", resources(None, {gpu: "500m"}), (f"KTJ303 {at}.limits[{gpu}]",))
    yield Case("cpu above its limit", resources({"cpu": 2}, {"cpu": "1500m"}), (f"KTJ304 {at}.requests",))
    yield Case("less than a thousandth counts as one", resources({"cpu": "1u"}, {"cpu": "1m"}))
    yield Case("unknown resource", resources(None, {"gpu": 1}), (f"KTJ729 {at}.limits.gpu",))
    yield Case("resource of quotas only", resources({"storage": 1}), (f"KTJ729 {at}.requests.storage",))
    yield Case("less than nothing", resources({"cpu": "-1"}), (f"KTJ729 {at}.requests.cpu",))
    yield Case(
        "half a huge page", resources(None, {"cpu": 1, "hugepages-2Mi": "3Mi"}), (f"KTJ729 {at}.limits.hugepages-2Mi",)
    )
    yield Case("huge pages alone", resources({"hugepages-2Mi": 0}, {"hugepages-2Mi": 0}), (f"KTJ729 {at}",))
    yield Case(
        "claim of the Pod's",
        pod(
            resourceClaims=[{"name": "a", "resourceClaimName": "x"}],
            containers=[container(resources={"claims": [{"name": "a"}]})],
        ),
    )
    yield Case("no such claim", resources(claims=[{"name": "a"}]), (f"KTJ729 {at}.claims[0]",))
    whole = {"limits": {"cpu": 1}, "requests": {"cpu": "500m"}}
    more = [container(resources={"requests": {"cpu": 1}, "limits": {"cpu": 2}})]
    yield Case(
        "less for the whole Pod than for a container",
        pod(resources=whole, containers=more),
        (f"KTJ729 {POD}.resources.requests.cpu", f"KTJ729 {MAIN}.resources.limits.cpu"),
    )
    huge = {"limits": {"cpu": 1, "hugepages-2Mi": "2Mi"}, "requests": {"hugepages-2Mi": "2Mi"}}
    many = [
        container(
            name=name, resources={"requests": {"cpu": 0, "hugepages-2Mi": "2Mi"}, "limits": {"hugepages-2Mi": "2Mi"}}
        )
        for name in "ab"
    ]
    yield Case(
        "fewer huge pages for the whole Pod",
        pod(resources=huge, containers=many),
        (f"KTJ729 {POD}.resources.requests.hugepages-2Mi", f"KTJ729 {POD}.resources.limits.hugepages-2Mi"),
    )
    yield Case(
        "devices for the whole Pod", pod(resources={"limits": {gpu: 1}}), (f"KTJ729 {POD}.resources.limits[{gpu}]",)
    )
    yield Case("claims of the whole Pod", pod(resources={"claims": []}), (f"KTJ729 {POD}.resources.claims",))
    yield Case("overhead", pod(overhead={"cpu": "1m", "x": 1}), (f"KTJ729 {POD}.overhead.x",))


def _of_containers() -> Iterator[Case]:
    yield Case("no containers", pod(containers=[]), (f"KTJ722 {POD}.containers",))
    yield Case("no image", main(image=""), (f"KTJ721 {MAIN}.image",))
    yield Case("image with blanks, which only a Pod's creation refuses", main(image=" a"))
    yield Case("name of a container", main(name="C_1"), (f"KTJ728 {MAIN}.name",))
    yield Case("one name in two lists", init(name="c"), (f"KTJ728 {INIT}.name",))
    yield Case("port name", main(ports=[{"name": "80", "containerPort": 80}]), (f"KTJ728 {MAIN}.ports[0].name",))
    twice = [{"name": "a", "containerPort": 80}, {"name": "a", "containerPort": 81}]
    yield Case("port name twice", main(ports=twice), (f"KTJ728 {MAIN}.ports[1].name",))
    yield Case("port number", main(ports=[{"containerPort": 0}]), (f"KTJ729 {MAIN}.ports[0].containerPort",))
    yield Case(
        "port protocol", main(ports=[{"containerPort": 1, "protocol": "tcp"}]), (f"KTJ729 {MAIN}.ports[0].protocol",)
    )
    host = [{"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 80}]
    yield Case("port of the node twice", main(ports=host), (f"KTJ728 {MAIN}.ports[1].hostPort",))
    yield Case(
        "port in the node's network",
        pod(hostNetwork=True, containers=[container(ports=[{"containerPort": 80, "hostPort": 81}])]),
        (f"KTJ729 {MAIN}.ports[0].hostPort",),
    )
    yield Case("variable", main(env=[{"name": "A.b-1"}, {"name": "1 $"}]))
    yield Case("name of a variable", main(env=[{"name": "A=B"}]), (f"KTJ728 {MAIN}.env[0].name",))
    yield Case("variable of nothing", main(env=[{"name": "A", "valueFrom": {}}]), (f"KTJ729 {MAIN}.env[0].valueFrom",))
    at = f"{MAIN}.env[0].valueFrom"
    label = {"fieldRef": {"fieldPath": "metadata.labels['a/b']"}}
    yield Case("label in a variable", main(env=[{"name": "A", "valueFrom": label}]))
    yield Case("label and a value", main(env=[{"name": "A", "value": "1", "valueFrom": label}]), (f"KTJ729 {at}",))
    yield Case(
        "all labels in a variable",
        main(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels"}}}]),
        (f"KTJ729 {at}.fieldRef.fieldPath",),
    )
    yield Case(
        "divisor",
        main(env=[{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1Mi"}}}]),
        (f"KTJ729 {at}.resourceFieldRef.divisor",),
    )
    yield Case(
        "key of a secret",
        main(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b/c"}}}]),
        (f"KTJ729 {at}.secretKeyRef.key",),
    )
    file = {"fileKeyRef": {"key": "A", "volumeName": "v", "path": "a"}}
    yield Case(
        "file of no volume", main(env=[{"name": "A", "valueFrom": file}]), (f"KTJ720 {at}.fileKeyRef.volumeName",)
    )
    yield Case("source of variables", main(envFrom=[{"secretRef": {"name": "a-"}}]))
    yield Case("no source of variables", main(envFrom=[{}]), (f"KTJ729 {MAIN}.envFrom",))
    yield Case(
        "prefix", main(envFrom=[{"prefix": "=", "secretRef": {"name": "a"}}]), (f"KTJ728 {MAIN}.envFrom[0].prefix",)
    )
    yield Case(
        "resize",
        main(resizePolicy=[{"resourceName": "gpu", "restartPolicy": "NotRequired"}]),
        (f"KTJ729 {MAIN}.resizePolicy",),
    )
    codes = {"action": "Restart", "exitCodes": {"operator": "In", "values": [0] * 256}}
    yield Case(
        "many exit codes",
        main(restartPolicy="Never", restartPolicyRules=[codes]),
        (f"KTJ729 {MAIN}.restartPolicyRules[0].exitCodes.values",),
    )
    yield Case(
        "no exit codes",
        main(restartPolicy="Never", restartPolicyRules=[{"action": "Restart"}]),
        (f"KTJ729 {MAIN}.restartPolicyRules[0].exitCodes",),
    )
    yield Case(
        "rules alone",
        main(restartPolicyRules=[{"action": "Restart", "exitCodes": IN}]),
        (f"KTJ729 {MAIN}.restartPolicy",),
    )


def _of_probes() -> Iterator[Case]:
    at = f"{MAIN}.livenessProbe"
    yield Case("probe", main(livenessProbe={"httpGet": {"port": "http"}}))
    yield Case("probe of nothing", main(livenessProbe={}), (f"KTJ729 {at}",))
    yield Case("two probes in one", main(livenessProbe={**EXEC, "tcpSocket": {"port": 1}}), (f"KTJ729 {at}.tcpSocket",))
    yield Case("port of a probe", main(livenessProbe={"httpGet": {"port": 0}}), (f"KTJ729 {at}.httpGet.port",))
    yield Case("two successes", main(livenessProbe={**EXEC, "successThreshold": 2}), (f"KTJ729 {at}.successThreshold",))
    yield Case("ready after two", main(readinessProbe={**EXEC, "successThreshold": 2}))
    yield Case(
        "end of what is not ready",
        main(readinessProbe={**EXEC, "terminationGracePeriodSeconds": 1}),
        (f"KTJ729 {MAIN}.readinessProbe.terminationGracePeriodSeconds",),
    )
    yield Case(
        "long sleep",
        main(lifecycle={"preStop": {"sleep": {"seconds": 31}}}),
        (f"KTJ729 {MAIN}.lifecycle.preStop.sleep",),
    )
    yield Case(
        "long sleep of a patient Pod",
        pod(
            terminationGracePeriodSeconds=60, containers=[container(lifecycle={"preStop": {"sleep": {"seconds": 31}}})]
        ),
    )
    yield Case("probe of an init container", init(livenessProbe=EXEC), (f"KTJ723 {INIT}.livenessProbe",))
    yield Case("hook of an init container", init(lifecycle={"preStop": EXEC}), (f"KTJ723 {INIT}.lifecycle",))
    yield Case("signal, which a gate drops", init(lifecycle={"stopSignal": "SIGTERM"}))
    yield Case("probe of a sidecar", init(restartPolicy="Always", livenessProbe=EXEC))
    yield Case(
        "hook of nothing",
        init(restartPolicy="Always", lifecycle={"preStop": {}}),
        (f"KTJ729 {INIT}.lifecycle.preStop",),
    )


def cases() -> Iterator[Case]:
    yield from _of_resources()
    yield from _of_containers()
    yield from _of_probes()
