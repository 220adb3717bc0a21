"""The Pod template of a role for a runtime: containers, variables, names and labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from kubectl_trainjob.frontends.legacy.commands import Start, mentioned, start_of
from kubectl_trainjob.frontends.legacy.lifecycle import restart_policy
from kubectl_trainjob.frontends.legacy.names import Peers
from kubectl_trainjob.frontends.legacy.operators import PYTORCH, V2BETA1, JobRole, LegacyJob
from kubectl_trainjob.frontends.legacy.variables import (
    JOBSET_NAME_VARIABLE,
    LAUNCH_IP,
    UNBUFFERED,
    AddedVariable,
    Layout,
    helpers,
    variables,
)
from kubectl_trainjob.kube.facts.trainer import NODE
from kubectl_trainjob.kube.launch.command_line import with_references
from kubectl_trainjob.model.source import value_at
from kubectl_trainjob.model.stages import Body

_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_LABEL_FIELD = re.compile(r"metadata\.labels\['training\.kubeflow\.org/([a-z-]+)'\]")
_PER_JOB = ("image", "command", "args", "resources", "env")


class ConvertedContainer(NamedTuple):
    """A container with the new names, without env: `own` are the user's variables, `added` those of the operator.

    An own variable that the operator overwrites is not among them.
    """

    body: dict[str, Any]
    own: list[dict[str, Any]]
    added: list[AddedVariable]


class PodContext(NamedTuple):
    """How the Pods of a role are converted: `main` is the new name of the container that trains."""

    job: LegacyJob
    role: JobRole
    layout: Layout
    peers: Peers
    main: str = NODE
    set_by_trainer: frozenset[str] = frozenset()


def convert_container(context: PodContext, index: int) -> ConvertedContainer:
    """One container of a role."""
    job, role = context.job, context.role
    old = role.pod["containers"][index]
    is_main = index == job.main(role)
    found = {each.name: each for each in variables(job, role, context.layout) if is_main or each.name != "TF_CONFIG"}
    by_trainer = context.set_by_trainer if is_main else frozenset()
    env = old.get("env") or ()
    written = {entry["name"] for entry in env}
    wanted = mentioned(found, old) | (written & found.keys()) | (_launch(job, old, found) if is_main else set())
    body = context.peers.translated({key: value for key, value in old.items() if key != "env"})
    own = [context.peers.translated(entry) for entry in _effective(env, found.keys() | by_trainer)]
    own = [_with_new_label(_with_renamed(entry, context), context) for entry in own]
    if is_main:
        body["name"] = context.main
    return ConvertedContainer(body, own, [each for name, each in found.items() if name in wanted - by_trainer])


def _effective(env: Iterable[dict[str, Any]], overwritten: Collection[str]) -> list[dict[str, Any]]:
    """The user's variables that have an effect: the last of each name that the operator does not write.

    References to a value that is not kept get the value, as from the kubelet: it reads env in order.
    """
    last = {entry["name"]: index for index, entry in enumerate(env)}
    hidden: dict[str, str] = {}
    kept = []
    for index, entry in enumerate(env):
        text = with_references(entry.get("value") or "", hidden.get)
        if entry["name"] not in overwritten and last[entry["name"]] == index:
            hidden.pop(entry["name"], None)
            kept.append({**entry, "value": text} if text else entry)
        elif "valueFrom" not in entry:
            hidden[entry["name"]] = text
    return kept


def _with_new_label(entry: dict[str, Any], context: PodContext) -> dict[str, Any]:
    """The variable with what a label of the operator had, as far as the new Pods have it."""
    path = str(value_at(entry, ("valueFrom", "fieldRef", "fieldPath")))
    match = _LABEL_FIELD.fullmatch(path)
    label, index, name = match[1] if match else "", context.layout.index_field, entry["name"]
    if label == "job-name":
        return JOBSET_NAME_VARIABLE._replace(name=name).entry
    if label == "replica-index" and index:
        return AddedVariable(name, field=index).entry
    is_role = label == ("job-role" if context.job.operator.api_version == V2BETA1 else "replica-type")
    return AddedVariable(name, context.role.name).entry if is_role and index else entry


def _launch(job: LegacyJob, container: Body, found: dict[str, AddedVariable]) -> set[str]:
    """The variables that the program of the main container may read."""
    if job.operator.kind == PYTORCH and start_of(container) is Start.TORCHRUN:
        return {name for name in found if name == UNBUFFERED or name.startswith("PET_")}
    return set(found) - {LAUNCH_IP}


def _with_renamed(value: Any, context: PodContext) -> Any:
    """Data with the new name of the training container in references to its resources."""
    if isinstance(value, list):
        return [_with_renamed(item, context) for item in value]
    if not isinstance(value, dict):
        return value
    new = {key: _with_renamed(item, context) for key, item in value.items()}
    role = context.role
    is_of_main = new.get("containerName") == role.pod["containers"][context.job.main(role)].get("name", "")
    return {**new, "containerName": context.main} if is_of_main else new


def complete(container: ConvertedContainer, layout: Layout) -> dict[str, Any]:
    """The container with all its variables."""
    env = [each.entry for each in helpers(container.added, layout)]
    env += [*container.own, *(each.entry for each in container.added)]
    return {**container.body, "env": env} if env else container.body


def template(context: PodContext, containers: Sequence[dict[str, Any]], scheduler: str = "") -> dict[str, Any]:
    """The Pod template of a role with these containers."""
    role, peers = context.role, context.peers
    old = role.pod
    spec: dict[str, Any] = {"restartPolicy": restart_policy(role)}
    for key, value in old.items():
        if key in ("affinity", "topologySpreadConstraints"):
            spec[key] = peers.selected(value)
        elif key == "initContainers":
            spec[key] = _with_renamed(peers.translated(value), context)
        elif key == "volumes":
            spec[key] = _with_renamed(value, context)
        elif key != "restartPolicy":
            spec[key] = value
    spec["containers"] = list(containers)
    if scheduler and "schedulerName" not in spec:
        spec["schedulerName"] = scheduler
    metadata = _metadata(role, old["containers"][context.job.main(role)].get("name", ""), context.main)
    return {"metadata": metadata, "spec": spec} if metadata else {"spec": spec}


def _metadata(role: JobRole, old: str, new: str) -> dict[str, Any]:
    metadata = role.template.get("metadata") or {}
    found = {key: dict(metadata[key]) for key in ("labels", "annotations") if metadata.get(key)}
    if found.get("annotations", {}).get(_DEFAULT_CONTAINER) == old:
        found["annotations"][_DEFAULT_CONTAINER] = new
    return found


def split(body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of the training container that a TrainJob sets, and those of the runtime."""
    return (
        {key: body[key] for key in _PER_JOB if key in body},
        {key: value for key, value in body.items() if key not in _PER_JOB},
    )
