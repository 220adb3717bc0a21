"""What is said of each kind of change."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_trainjob.kube.updates.consequence import consequence
from kubectl_trainjob.kube.updates.immutable import check_data_update
from kubectl_trainjob.kube.updates.jobset import check_jobset_update
from kubectl_trainjob.kube.updates.result import STATES, UpdateResult, possible_states
from kubectl_trainjob.kube.updates.trainer import check_runtime_update, check_train_job_update
from kubectl_trainjob.model.stages import identity_of
from tests.unit.kube.updates.cases import (
    JOBSETS,
    RUNTIME,
    TRAIN_JOBS,
    Update,
    jobset,
    of_container,
    of_pod,
    train_job,
    verdict_on,
)

_RECREATE = "use a new name (nameHash of an overlay gives TrainJobs one), or delete and create it again"
_CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
_GROUP = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": "a"}}
_QUEUE = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue", "metadata": {"name": "a"}}
_FOREIGN = {**train_job(), "apiVersion": "example.com/v1"}
_EXPERIMENT = {"apiVersion": "kubeflow.org/v1beta1", "kind": "Experiment", "metadata": {"name": "a"}}


def _case(kind: str, name: str) -> Update:
    return next(each for each in (TRAIN_JOBS if kind == "TrainJob" else JOBSETS) if each.name == name)


def _reported(
    old: Any, new: Any, verdict: UpdateResult | None = None, version: str = "2.3", made: UpdateResult | None = None
) -> str:
    return consequence(identity_of(new or old), verdict, old, new, version, made)


@pytest.mark.parametrize(
    ("body", "version", "words"),
    [
        pytest.param(train_job(), "2.3", ": a running job ends", id="TrainJob"),
        pytest.param(jobset(), "2.3", ": a running job ends", id="JobSet"),
        pytest.param(_CONFIG_MAP, "2.3", "", id="ConfigMap"),
        pytest.param(_EXPERIMENT, "2.3", ": its trials end", id="Experiment of Katib"),
        pytest.param(_FOREIGN, "2.3", "", id="somebody else's TrainJob"),
        pytest.param(
            RUNTIME,
            "2.3",
            ": TrainJobs that refer to it continue to run, but can no longer be changed",
            id="runtime of 2.3",
        ),
        pytest.param(RUNTIME, "2.2", ", once no TrainJob refers to it", id="runtime of 2.2"),
    ],
)
def test_added_and_removed(body: Any, version: str, words: str) -> None:
    assert _reported(None, body, version=version) == "is created"
    assert _reported(body, None, version=version) == f"is deleted where pruning is on{words}"


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        pytest.param("JobSet", "ttl", "applies in place", id="always"),
        pytest.param(
            "JobSet",
            "node selector",
            "applies only while suspended, before or after the update (spec.replicatedJobs is immutable)",
            id="only while suspended",
        ),
        pytest.param(
            "JobSet", "image", f"is rejected in every state (spec.replicatedJobs is immutable); {_RECREATE}", id="never"
        ),
        pytest.param(
            "JobSet",
            "node selector and image",
            f"is rejected in every state (spec.replicatedJobs is immutable); {_RECREATE}",
            id="one never, one while suspended",
        ),
        pytest.param(
            "JobSet",
            "pod metadata emptied",
            "is rejected in every state (spec.replicatedJobs[0].template.spec.template.metadata: in body must be of "
            'type object: "null"; server-side apply empties the mapping, remove it)',
            id="a mapping emptied",
        ),
        pytest.param(
            "JobSet",
            "network removed",
            "applies in place; spec.network is removed, and no default replaces it",
            id="a default is lost",
        ),
        pytest.param(
            "TrainJob",
            "patch",
            "applies only while suspended, before or after the update "
            "(spec.runtimePatches: RuntimePatches can only be modified when the TrainJob is suspended before or after "
            "the update)",
            id="patches",
        ),
        pytest.param(
            "TrainJob",
            "same number for a quantity, patch added",
            "is rejected in every state (spec.trainer is immutable): Trainer's webhook rewrites quantities, which "
            f"counts as a change; write them in canonical form, such as 1 for 1000m; for an existing job, {_RECREATE}",
            id="for good before while running",
        ),
        pytest.param(
            "TrainJob", "managedBy", f"is rejected in every state (spec.managedBy is immutable); {_RECREATE}", id="kept"
        ),
    ],
)
def test_changed(kind: str, name: str, words: str) -> None:
    case = _case(kind, name)
    assert _reported(case.old, case.new, verdict_on(case)) == words


def test_what_is_lost_is_reported_of_what_applies_only() -> None:
    old = jobset(network={"subdomain": "s"}, successPolicy={"operator": "Any"})
    both, image = jobset(), of_container(image="b")
    assert _reported(old, both, check_jobset_update(old, both)).endswith(
        "; spec.network and spec.successPolicy are removed, and no default replaces them"
    )
    assert "no default" not in _reported(old, image, check_jobset_update(old, image))


def test_changed_in_2_0() -> None:
    override = {"targetJobs": [{"name": "node"}], "nodeSelector": {"a": "b"}}
    old, new = train_job(), train_job(podSpecOverrides=[override])
    assert _reported(old, new, check_train_job_update(old, new, "2.0"), "2.0") == (
        "applies only while suspended after the update "
        "(spec.podSpecOverrides: PodSpecOverrides can only be modified when the TrainJob is suspended)"
    )


@pytest.mark.parametrize(
    ("made", "words"),
    [
        pytest.param(None, "", id="nothing"),
        pytest.param(
            (jobset(), jobset(ttlSecondsAfterFinished=3)),
            "; a running JobSet stays unchanged until the job is suspended",
            id="what may change",
        ),
        pytest.param(
            (jobset(), of_pod(nodeSelector={"a": "b"})),
            "; a running JobSet stays unchanged until the job is suspended",
            id="what may change while suspended",
        ),
        pytest.param(
            (jobset(), of_container(image="b")),
            f"; its JobSet cannot be updated (spec.replicatedJobs is immutable): {_RECREATE}",
            id="what may not change",
        ),
    ],
)
def test_what_becomes_of_the_jobset_of_a_train_job(made: Any, words: str) -> None:
    accepted, rejected = _case("TrainJob", "trainer removed"), _case("TrainJob", "image")
    verdict = verdict_on(Update("", *made, {})) if made else None
    assert _reported(accepted.old, accepted.new, verdict_on(accepted), made=verdict) == f"applies in place{words}"
    assert "JobSet" not in _reported(rejected.old, rejected.new, verdict_on(rejected), made=verdict)


@pytest.mark.parametrize(
    ("body", "version", "words"),
    [
        pytest.param(
            RUNTIME,
            "2.3",
            "has no effect on TrainJobs that exist: running jobs keep their runtime snapshot, and so do suspended ones",
            id="runtime of 2.3",
        ),
        pytest.param(
            RUNTIME,
            "2.2",
            "changes suspended TrainJobs, as far as JobSet allows; running ones keep their JobSets",
            id="runtime of 2.2",
        ),
        pytest.param(_CONFIG_MAP, "2.3", "is updated in place", id="ConfigMap"),
        pytest.param(_GROUP, "2.3", "is updated in place", id="PodGroup"),
        pytest.param(_QUEUE, "2.3", "is applied; the cluster decides whether it may change", id="another kind"),
    ],
)
def test_changed_without_a_verdict(body: Any, version: str, words: str) -> None:
    assert _reported(body, body, version=version) == words


def test_a_runtime_that_may_not_change() -> None:
    old, new = (
        {**RUNTIME, "spec": {"template": {"spec": {"successPolicy": {"operator": operator}}}}}
        for operator in ("All", "Any")
    )
    words = f"is rejected (spec.template.spec.successPolicy is immutable); {_RECREATE}"
    assert _reported(old, new, check_runtime_update(old, new, "2.3")) == words


def _config_map(**about: Any) -> Any:
    return {**_CONFIG_MAP, "immutable": True, "data": {"a": "b"}, **about}


def _secret(**about: Any) -> Any:
    return {**_CONFIG_MAP, "kind": "Secret", **about}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(_config_map(), _config_map(data={"a": "c"}), "data is immutable", id="data"),
        pytest.param(_config_map(), _config_map(data={}), "data is immutable", id="data removed"),
        pytest.param(_config_map(), _config_map(binaryData={"b": "Yg=="}), "binaryData is immutable", id="binary data"),
        pytest.param(_config_map(), _config_map(immutable=False), "immutable is immutable", id="the mark"),
        pytest.param(_config_map(), _config_map(metadata={"name": "a", "labels": {"a": "b"}}), "", id="labels"),
        pytest.param(_config_map(), _config_map(binaryData={}), "", id="an empty mapping"),
        pytest.param(_config_map(immutable=False), _config_map(data={"a": "c"}), "", id="marked now"),
        pytest.param(_secret(), _secret(type="example.com/a"), "type is immutable", id="type"),
        pytest.param(_secret(), _secret(type="Opaque"), "", id="default type"),
        pytest.param(
            _secret(immutable=True, stringData={"a": "b"}),
            _secret(immutable=True, stringData={"a": "c"}),
            "stringData is immutable",
            id="text of a Secret",
        ),
        pytest.param(
            _secret(immutable=True, stringData={"a": "b"}),
            _secret(immutable=True, data={"a": "Yg=="}),
            "",
            id="the same data of a Secret",
        ),
    ],
)
def test_what_kubernetes_keeps(old: Any, new: Any, words: str) -> None:
    assert _reported(old, new) == (f"is rejected ({words}); {_RECREATE}" if words else "is updated in place")
    assert _reported(old, new, check_data_update(old, new)) == _reported(old, new)


def test_a_config_map_of_somebody_else_is_not_kept() -> None:
    old, new = ({**_config_map(data={"a": text}), "apiVersion": "example.com/v1"} for text in "bc")
    assert _reported(old, new) == "is updated in place"


_OVERRIDE = [{"targetJobs": [{"name": "node"}], "nodeSelector": {"a": "b"}}]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(
            train_job(),
            train_job(suspend=True),
            "applies in place and suspends the job, and its Pods end",
            id="stop",
        ),
        pytest.param(train_job(suspend=True), train_job(suspend=False), "applies in place and starts the job", id="go"),
        pytest.param(train_job(suspend=True), train_job(), "applies in place and starts the job", id="no word of it"),
        pytest.param(
            train_job(suspend=True),
            train_job(podSpecOverrides=_OVERRIDE),
            "would start the job, but is rejected (spec.podSpecOverrides: PodSpecOverrides can only be modified when "
            "the TrainJob is suspended): apply the other changes while it is suspended, then start it",
            id="with what may change while suspended after the update",
        ),
        pytest.param(
            train_job(),
            train_job(suspend=True, podSpecOverrides=_OVERRIDE),
            "applies in place and suspends the job, and its Pods end",
            id="stop with what may change then",
        ),
    ],
)
def test_files_that_suspend_or_start_a_job(old: Any, new: Any, words: str) -> None:
    assert _reported(old, new, check_train_job_update(old, new, "2.0"), "2.0") == words
    assert possible_states(old, new) == (("suspending",) if new["spec"].get("suspend") else ("resuming",))


def test_files_that_start_a_job_with_what_may_never_change() -> None:
    old, new = train_job(suspend=True, trainer={"image": "a"}), train_job(trainer={"image": "b"})
    assert _reported(old, new, check_train_job_update(old, new, "2.3")) == (
        f"would start the job, but is rejected in every state (spec.trainer is immutable); {_RECREATE}"
    )


def test_files_that_suspend_a_job_whose_jobset_may_not_change() -> None:
    old, new = train_job(), train_job(suspend=True)
    made = check_jobset_update(jobset(), {**of_container(image="b")})
    assert _reported(old, new, check_train_job_update(old, new, "2.3"), made=made) == (
        "applies in place and suspends the job, and its Pods end; its JobSet cannot be updated "
        f"(spec.replicatedJobs is immutable): {_RECREATE}"
    )


def test_all_states_are_reachable_where_the_files_do_not_say() -> None:
    assert possible_states(train_job(), train_job(suspend=False)) == STATES
    assert possible_states(jobset(suspend=True), jobset(suspend=True)) == STATES
    assert possible_states(RUNTIME, RUNTIME) == ()


def test_a_quantity_that_the_webhook_writes_anew() -> None:
    """Trainer 2.2 writes all quantities anew when it stamps a patch that it has not seen."""
    resources = {"resourcesPerNode": {"requests": {"cpu": "1000m"}}}
    patch = {"manager": "m.io/x", "trainingRuntimeSpec": {"template": {"metadata": {"labels": {"a": "b"}}}}}
    old, new = train_job(trainer=resources), train_job(trainer=resources, runtimePatches=[patch])
    words = _reported(old, new, check_train_job_update(old, new, "2.3"))
    assert words == (
        "is rejected in every state (spec.trainer is immutable): Trainer's webhook rewrites quantities, which "
        f"counts as a change; write them in canonical form, such as 1 for 1000m; for an existing job, {_RECREATE}"
    )


def test_every_word_is_a_predicate() -> None:
    """It fits behind "It" and "Each"."""
    verbs = ("applies", "is", "has", "changes", "would")
    for case in (*TRAIN_JOBS, *JOBSETS):
        assert _reported(case.old, case.new, verdict_on(case)).partition(" ")[0] in verbs
