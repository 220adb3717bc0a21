"""JobSet's verdict on expanded JobSets: cases of upstream's own tables, and the limits from both sides."""

from __future__ import annotations

import copy

import pytest

from kubectl_trainjob.kube.admission.jobset import jobset_problems, prime_cache
from kubectl_trainjob.kube.schemas.walk import PartCache
from kubectl_trainjob.model.source import show_pointer

MAX = 2**31 - 1


def replicated(name="job-0", *, job=None, pod=None, **fields):
    pod_spec = {"containers": [{"name": "c", "image": "acme/c:1"}], **(pod or {})}
    return {"name": name, "template": {"spec": {"template": {"spec": pod_spec}, **(job or {})}}, **fields}


def jobset(*jobs, name="js", metadata=None, **spec):
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"replicatedJobs": list(jobs or [replicated()]), **spec},
    }


def reported(body, cache=None):
    before = copy.deepcopy(body)
    found = jobset_problems(body, cache)
    assert body == before
    return [(f.rule.id, show_pointer(f.pointer), f.on) for f in found]


def rules(*made, **policy):
    return {"failurePolicy": {"rules": [{"action": "FailJobSet", **rule} for rule in made], **policy}}


def claims(*names, metadata=None):
    templates = [{"metadata": {"name": name, **(metadata or {})}, "spec": {}} for name in names]
    return {"volumeClaimPolicies": [{"templates": templates}]}


def mounting(*names):
    return {"containers": [{"name": "c", "volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in names]}]}


def after(name, *earlier):
    return replicated(name, dependsOn=[{"name": other, "status": "Ready"} for other in earlier])


JOB = "spec.replicatedJobs[0]"
CLAIM = "spec.volumeClaimPolicies[0].templates"
RULE = "spec.failurePolicy.rules"
JOBS = [replicated("job-1"), replicated("job-2"), replicated("job-3")]
COORDINATED = replicated("driver", job={"completions": 3, "parallelism": 3}, replicas=2)

ACCEPTED = [
    pytest.param(jobset(), id="smallest"),
    pytest.param(jobset(replicated(replicas=32767, job={"parallelism": 65536})), id="most Pods"),
    pytest.param(
        jobset(name="j" * 55),
        id="longest Job name",
    ),
    pytest.param(jobset(replicated(job={"completions": 10}), name="j" * 47), id="longest Pod name"),
    pytest.param(
        jobset(replicated(job={"completions": 10, "completionMode": "NonIndexed"}), name="j" * 55), id="not Indexed"
    ),
    pytest.param(jobset(managedBy="acme.io/foo"), id="managedBy"),
    pytest.param(jobset(managedBy="acme.io/" + "a" * 55), id="longest managedBy"),
    pytest.param(jobset(network={"subdomain": "train-1"}), id="subdomain"),
    pytest.param(jobset(network={}), id="empty network"),
    pytest.param(jobset(replicated(groupName="g" * 63)), id="longest group name"),
    pytest.param(jobset(successPolicy={"operator": "Any", "targetReplicatedJobs": ["job-0"]}), id="success target"),
    pytest.param(jobset(**rules({"name": "A_,:b"}, {"name": "b" * 128}, {})), id="rule names"),
    pytest.param(jobset(**rules({"onJobFailureReasons": ["BackoffLimitExceeded", "DeadlineExceeded"]})), id="reasons"),
    pytest.param(jobset(**rules({"targetReplicatedJobs": ["job-0"]}, maxRestarts=3)), id="failure target"),
    pytest.param(jobset(**rules(restartStrategy="BlockingRecreate")), id="restart strategy"),
    pytest.param(
        jobset(COORDINATED, coordinator={"replicatedJob": "driver", "jobIndex": 1, "podIndex": 2}), id="coordinator"
    ),
    pytest.param(jobset(JOBS[0], after("job-2", "job-1"), after("job-3", "job-1")), id="both depend on the first"),
    pytest.param(jobset(JOBS[0], after("job-2", "job-1"), after("job-3", "job-2")), id="a chain"),
    pytest.param(jobset(JOBS[0], JOBS[1], after("job-3", "job-1", "job-2")), id="two dependencies"),
    pytest.param(
        jobset(JOBS[0], after("job-2", "job-1"), startupPolicy={"startupPolicyOrder": "AnyOrder"}), id="AnyOrder"
    ),
    pytest.param(jobset(*JOBS, startupPolicy={"startupPolicyOrder": "InOrder"}), id="InOrder"),
    pytest.param(jobset(replicated(pod=mounting("data")), **claims("data")), id="claim"),
    pytest.param(
        jobset(replicated(pod={"initContainers": mounting("data")["containers"]}), **claims("data")), id="claim of init"
    ),
    pytest.param(jobset(replicated(pod=mounting("a" * 60)), **claims("a" * 60)), id="longest claim"),
    pytest.param(
        jobset(replicated(pod=mounting("data")), **claims("data", metadata={"namespace": ""})), id="empty namespace"
    ),
    pytest.param({**jobset(), "spec": {"suspend": True}}, id="no replicatedJobs"),
]

REJECTED = [
    pytest.param(
        jobset(replicated(replicas=32768, job={"parallelism": 65536})),
        [("KTJ103", f"{JOB}.template.spec.parallelism", "value")],
        id="too many Pods",
    ),
    pytest.param(
        jobset(replicated(replicas=MAX + 1)),
        [("KTJ103", f"{JOB}.replicas", "value")],
        id="schema: replicas beyond int32",
    ),
    pytest.param(
        jobset(successPolicy={"operator": "All", "targetReplicatedJobs": ["do not exist"]}),
        [("KTJ707", "spec.successPolicy.targetReplicatedJobs[0]", "value")],
        id="success target",
    ),
    pytest.param(
        jobset(network={"subdomain": "$this.is.not.dns"}),
        [("KTJ704", "spec.network.subdomain", "value")],
        id="no DNS name",
    ),
    pytest.param(
        jobset(network={"subdomain": "train.acme"}), [("KTJ704", "spec.network.subdomain", "value")], id="no label"
    ),
    pytest.param(
        jobset(network={"subdomain": "a" * 64}), [("KTJ704", "spec.network.subdomain", "value")], id="long subdomain"
    ),
    pytest.param(jobset(name="username.llama65b"), [("KTJ701", "metadata.name", "value")], id="JobSet name with a dot"),
    pytest.param(
        jobset(replicated("Job")), [("KTJ701", f"{JOB}.name", "value")], id="replicatedJob name with a capital"
    ),
    pytest.param(jobset(replicated(groupName="1")), [("KTJ704", f"{JOB}.groupName", "value")], id="group name"),
    pytest.param(
        jobset(replicated(groupName="g" * 64)), [("KTJ704", f"{JOB}.groupName", "value")], id="long group name"
    ),
    pytest.param(jobset(name="j" * 56), [("KTJ702", "metadata.name", "value")], id="Job name too long"),
    pytest.param(
        jobset(replicated(job={"completions": 10}), name="j" * 48),
        [("KTJ702", "metadata.name", "value")],
        id="Pod name too long",
    ),
    pytest.param(
        jobset(replicated(job={"completions": 11}), name="j" * 47),
        [("KTJ702", "metadata.name", "value")],
        id="index too long",
    ),
    pytest.param(jobset(managedBy="notDomainPrefixedPath"), [("KTJ106", "spec.managedBy", "value")], id="no path"),
    pytest.param(jobset(managedBy=""), [("KTJ106", "spec.managedBy", "value")], id="empty managedBy"),
    pytest.param(jobset(managedBy="acme.io/" + "a" * 56), [("KTJ106", "spec.managedBy", "value")], id="long managedBy"),
    pytest.param(
        jobset(**rules({"onJobFailureReasons": ["fakeReason"]})),
        [("KTJ708", f"{RULE}[0].onJobFailureReasons[0]", "value")],
        id="reason",
    ),
    pytest.param(
        jobset(**rules({"targetReplicatedJobs": ["nope"]})),
        [("KTJ707", f"{RULE}[0].targetReplicatedJobs[0]", "value")],
        id="failure target",
    ),
    pytest.param(jobset(**rules({"name": "a" * 129})), [("KTJ708", f"{RULE}[0].name", "value")], id="long rule name"),
    pytest.param(
        jobset(**rules({"name": "a"}, {"name": "a"})), [("KTJ708", f"{RULE}[1].name", "value")], id="same rule name"
    ),
    pytest.param(
        jobset(**rules({}, {"name": "failurePolicyRule0"})),
        [("KTJ708", f"{RULE}[1].name", "value")],
        id="name of a default",
    ),
    pytest.param(
        jobset(**rules({"name": "1a"})), [("KTJ708", f"{RULE}[0].name", "value")], id="rule name starts with a digit"
    ),
    pytest.param(
        jobset(**rules({"name": "a:"})), [("KTJ708", f"{RULE}[0].name", "value")], id="rule name ends with a colon"
    ),
    pytest.param(jobset(**rules({"action": "Nope"})), [("KTJ103", f"{RULE}[0].action", "value")], id="schema: action"),
    pytest.param(
        jobset(**rules({"action": "RestartJob"})), [("KTJ109", f"{RULE}[0].action", "value")], id="gate RestartJob"
    ),
    pytest.param(
        jobset(**rules({"action": "RestartJobAndIgnoreMaxRestarts", "name": "1"})),
        [("KTJ109", f"{RULE}[0].action", "value")],
        id="gate RestartJob, ignoring the maximum",
    ),
    pytest.param(
        jobset(**rules(restartStrategy="InPlaceRestart")),
        [("KTJ109", "spec.failurePolicy.restartStrategy", "value")],
        id="gate InPlace",
    ),
    pytest.param(
        jobset(coordinator={"replicatedJob": "fake"}),
        [("KTJ705", "spec.coordinator.replicatedJob", "value")],
        id="no such coordinator",
    ),
    pytest.param(
        jobset(coordinator={"replicatedJob": "job-0"}),
        [("KTJ705", "spec.coordinator.replicatedJob", "value")],
        id="no completions",
    ),
    pytest.param(
        jobset(
            replicated(job={"completions": 1, "completionMode": "NonIndexed"}), coordinator={"replicatedJob": "job-0"}
        ),
        [("KTJ705", "spec.coordinator.replicatedJob", "value")],
        id="coordinator not Indexed",
    ),
    pytest.param(
        jobset(COORDINATED, coordinator={"replicatedJob": "driver", "jobIndex": 2}),
        [("KTJ705", "spec.coordinator.jobIndex", "value")],
        id="job index",
    ),
    pytest.param(
        jobset(COORDINATED, coordinator={"replicatedJob": "driver", "podIndex": 3}),
        [("KTJ705", "spec.coordinator.podIndex", "value")],
        id="Pod index",
    ),
    pytest.param(
        jobset(COORDINATED, name="j" * 27, coordinator={"replicatedJob": "driver"}),
        [("KTJ705", "spec.coordinator", "key")],
        id="host name too long for a label",
    ),
    pytest.param(
        jobset(COORDINATED, network={"subdomain": "s" * 50}, coordinator={"replicatedJob": "driver"}),
        [("KTJ705", "spec.coordinator", "key")],
        id="long subdomain of a coordinator",
    ),
    pytest.param(
        jobset(JOBS[0], after("job-2", "job-3"), JOBS[2]),
        [("KTJ706", "spec.replicatedJobs[1].dependsOn", "key")],
        id="depends on a later",
    ),
    pytest.param(
        jobset(JOBS[0], after("job-2", "job-3", "job-1"), JOBS[2]),
        [("KTJ706", "spec.replicatedJobs[1].dependsOn", "key")],
        id="depends on a later and an earlier",
    ),
    pytest.param(
        jobset(JOBS[0], after("job-2", "nope")),
        [("KTJ706", "spec.replicatedJobs[1].dependsOn", "key")],
        id="depends on nothing",
    ),
    pytest.param(jobset(after("job-1", "job-1")), [("KTJ706", f"{JOB}.dependsOn", "key")], id="the first depends"),
    pytest.param(jobset(after("job-1")), [("KTJ706", f"{JOB}.dependsOn", "key")], id="the first has an empty list"),
    pytest.param(
        jobset(JOBS[0], after("job-2", "job-1"), startupPolicy={"startupPolicyOrder": "InOrder"}),
        [("KTJ706", "spec.replicatedJobs[1].dependsOn", "key")],
        id="CEL: InOrder with dependsOn",
    ),
    pytest.param(
        jobset(JOBS[0], after("job-2", *["job-1"] * 6)),
        [
            ("KTJ107", "spec.replicatedJobs[1].dependsOn[1]", "value"),
            ("KTJ103", "spec.replicatedJobs[1].dependsOn", "value"),
        ],
        id="schema: six times the same dependency",
    ),
    pytest.param(
        jobset(replicated(pod=mounting("data")), **claims("data", "data")),
        [("KTJ709", f"{CLAIM}[1].metadata.name", "value")],
        id="twice",
    ),
    pytest.param(
        jobset(replicated(pod=mounting("Data")), **claims("Data")),
        [("KTJ709", f"{CLAIM}[0].metadata.name", "value")],
        id="claim in capitals",
    ),
    pytest.param(
        jobset(replicated(pod=mounting("a" * 61)), **claims("a" * 61)),
        [("KTJ703", f"{CLAIM}[0].metadata.name", "value")],
        id="long claim",
    ),
    pytest.param(jobset(**claims("data")), [("KTJ709", f"{CLAIM}[0].metadata.name", "value")], id="not mounted"),
    pytest.param(
        jobset(replicated(pod={**mounting("data"), "volumes": [{"name": "data", "emptyDir": {}}]}), **claims("data")),
        [("KTJ709", f"{JOB}.template.spec.template.spec.volumes[0].name", "value")],
        id="rival volume",
    ),
    pytest.param(
        jobset(replicated(pod=mounting("data")), **claims("data", metadata={"namespace": "team"})),
        [("KTJ709", f"{CLAIM}[0].metadata.namespace", "key")],
        id="CEL: claim with a namespace",
    ),
    pytest.param(
        jobset(replicated(), replicated()), [("KTJ107", "spec.replicatedJobs[1]", "value")], id="schema: one name twice"
    ),
    pytest.param(
        jobset(metadata={"labels": {"team": "a b"}}),
        [("KTJ112", "metadata.labels.team", "value")],
        id="label from the runtime",
    ),
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_accepted(body):
    assert reported(body) == []


@pytest.mark.parametrize(("body", "expected"), REJECTED)
def test_rejected(body, expected):
    assert reported(body) == expected


def test_a_cache_changes_no_result():
    cache = PartCache()
    for case in ACCEPTED:
        prime_cache(case.values[0]["spec"], cache)
    for case in (*ACCEPTED, *REJECTED, *ACCEPTED, *REJECTED):
        assert reported(case.values[0], cache) == (case.values[1] if len(case.values) > 1 else [])


@pytest.mark.parametrize(
    ("completions", "name", "room"),
    [(1, "node", 48), (10, "node", 48), (11, "node", 47), (1, "launcher", 44), (1, "dataset-initializer", 33)],
)
def test_the_message_reports_how_long_a_name_may_be(completions, name, room):
    one = replicated(name, job={"completions": completions})
    assert reported(jobset(one, name="j" * room)) == []
    [found] = jobset_problems(jobset(one, name="j" * (room + 1)))
    assert f"use at most {room} characters" in found.message
