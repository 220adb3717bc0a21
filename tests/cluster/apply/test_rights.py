"""A service account with the Role of the manual can do all that the commands do, and the Role has nothing else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest
import yaml

from tests.cluster.apply import world
from tests.cluster.apply.inputs import Object, config, job, runtime
from tests.cluster.apply.proxy import Request
from tests.cluster.apply.site import Site
from tests.readme import ROOT

pytestmark = pytest.mark.cluster

_MANUAL = ROOT / "kubectl_trainjob/cli/manual/apply.md"
_UNUSED = {
    ("trainingruntimes", "get"), ("trainingruntimes", "delete"), ("trainingruntimes", "watch"),
    ("pods", "get"), ("events", "get"),
}  # fmt: skip
"""What only a prune, a conflict, the loop or `kubectl describe` need."""

_ASKED_IF_INSTALLED = {("trainingsets", "list")}
"""What `status` also asks where TrainingSets are installed; without the right, it says that it does not show them."""


def role() -> Object:
    """The Role in the manual."""
    text = re.search(r"<!-- role -->\n```yaml\n(.*?)```", _MANUAL.read_text(), re.S)
    assert text
    found: Object = yaml.safe_load(text[1])
    return found


def _grant(site: Site, rules: list[Object]) -> tuple[str, ...]:
    """Bind a Role to a new service account: the options to act as it."""
    group, account = (
        "rbac.authorization.k8s.io",
        {"kind": "ServiceAccount", "name": "robot", "namespace": site.namespace},
    )
    head = {"name": "applier", "namespace": site.namespace}
    site.plane.client.create({"apiVersion": f"{group}/v1", "kind": "Role", "metadata": head, "rules": rules})
    reference = {"apiGroup": group, "kind": "Role", "name": "applier"}
    binding = {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": head}
    site.plane.client.create({**binding, "roleRef": reference, "subjects": [account]})
    return "--as", f"system:serviceaccount:{site.namespace}:robot"


def granted(rules: list[Object]) -> set[tuple[str, str]]:
    """Resource and verb."""
    return {(resource, verb) for rule in rules for resource in rule["resources"] for verb in rule["verbs"]}


def used(requests: Iterable[Request], namespace: str) -> set[tuple[str, str]]:
    """Resource and verb of requests for objects."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in requests:
        match = re.search(rf"/namespaces/{namespace}/([a-z]+)(/[^/]+)?(/log)?$", one.path)
        if match:
            found[match[1] + (match[3] or "")] |= set(_verbs(one, has_name=bool(match[2])))
    return {(resource, verb) for resource, verbs in found.items() for verb in verbs}


def _verbs(one: Request, *, has_name: bool) -> Iterator[str]:
    """What RBAC asks for a request; an apply that may create needs two verbs."""
    read = "watch" if "watch" in one.query else "get" if has_name else "list"
    yield {"GET": read, "POST": "create", "PATCH": "patch", "DELETE": "delete"}[one.method]
    if one.method == "PATCH" and "uid" not in one.json.get("metadata", {}):
        yield "create"


def test_the_role_of_the_manual_is_enough_and_has_nothing_else(site: Site) -> None:
    rules = role()["rules"]
    account = _grant(site, rules)
    site.applied(*world.BEFORE, arguments=(*world.ARGUMENTS, *account))
    site.ended("goes")
    site.files(*world.AFTER)
    done = site.apply(*world.ARGUMENTS, *account)
    assert (done.code, done.results) == (0, world.EXPECTED), done.ended
    assert "whether Trainer runs" in done.ended.err
    assert site.apply(*world.ARGUMENTS, *account).writes == []
    fewer = [one for one in world.AFTER if one["metadata"]["name"] not in ("mpi", "gang")]
    site.applied(*fewer, arguments=(*world.ARGUMENTS, "--prune-running", "--prune-many", *account))
    site.plane.client.create(_orphan(site))
    site.files(*fewer, world.jobset("late"))
    assert site.apply(*world.ARGUMENTS, *account).results["JobSet/late"] == "failed Error"
    own = {**runtime("own"), "metadata": {"name": "own"}}
    trainer = ("--emit", "trainjob", "--applyset", "t", "--prune", "--prune-running", "--prune-many")
    site.applied(own, job("t", "own"), arguments=(*trainer, *account))
    site.files(own, config("c"))
    assert site.apply(*trainer, *account).code == 0
    for command in ("status", "suspend", "resume", "logs"):
        errors = site.run(command, "same", *account).ended.err.splitlines()
        assert [each for each in errors if "Forbidden" in each and "trainingsets" not in each] == []
    watch = site.start("status", "--watch", *account)
    site.wait("the watches", lambda: len([one for one in site.proxy.requests if "watch" in one.query]) == 5)
    watch.kill()
    watch.end()
    needed = used(site.proxy.requests, site.namespace) - _ASKED_IF_INSTALLED
    of_kueue = granted([one for one in rules if one["apiGroups"] == ["kueue.x-k8s.io"]])
    assert (needed - granted(rules), granted(rules) - needed) == (set(), of_kueue | _UNUSED)


def _orphan(site: Site) -> Object:
    """A Job without owner, of the name that a JobSet needs."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "example.com/a:1"}]}
    head = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "late-a-0", "namespace": site.namespace}}
    return {**head, "spec": {"suspend": True, "template": {"spec": pod}}}


def _without(resource: str, verb: str) -> list[Object]:
    rules = [{**rule, "resources": [one]} for rule in role()["rules"] for one in rule["resources"]]
    return [
        {**rule, "verbs": [each for each in rule["verbs"] if (rule["resources"][0], each) != (resource, verb)]}
        for rule in rules
    ]


@pytest.mark.parametrize(
    ("resource", "verb", "code", "results"),
    [
        ("configmaps", "get", 2, None),
        ("configmaps", "list", 2, None),
        ("configmaps", "patch", 1, {"ConfigMap/m-mpi-hostfile": "failed Forbidden"}),
        ("jobsets", "list", 2, None),
        ("jobsets", "create", 1, {"JobSet/m": "failed Forbidden", "ConfigMap/m-mpi-hostfile": "skipped WithRun"}),
        ("jobsets", "patch", 1, {"JobSet/m": "failed Forbidden"}),
        ("jobs", "create", 1, {"JobSet/m": "failed Forbidden"}),
        ("secrets", "get", 1, {"Secret/m-mpi-ssh-auth": "failed Forbidden", "JobSet/m": "skipped AfterFailure"}),
        ("secrets", "create", 1, {"Secret/m-mpi-ssh-auth": "failed Forbidden", "JobSet/m": "skipped AfterFailure"}),
        ("trainjobs", "list", 0, {"JobSet/m": "created"}),
    ],
)
def test_without_a_right_nothing_is_written(
    site: Site, resource: str, verb: str, code: int, results: dict[str, str] | None
) -> None:
    account = _grant(site, _without(resource, verb))
    site.files(job("m", "mpi"))
    done = site.apply(*account)
    assert done.code == code, done.ended
    assert "Traceback" not in done.ended.err
    if results is None:
        assert done.ended.out == ""
        assert resource in done.ended.err.splitlines()[-1]
    else:
        assert {key: done.results[key] for key in results} == results
    if code:
        assert done.writes == []


def test_without_the_right_to_delete_a_run_goes_on(site: Site) -> None:
    account = _grant(site, _without("jobsets", "delete"))
    site.applied(job("a"), job("b"), arguments=account)
    site.files(job("a", image="example.com/train:2"), job("b"), job("c"))
    done = site.apply("--recreate", "always", *account)
    assert (done.code, done.results) == (
        1,
        {"JobSet/a": "failed Forbidden", "JobSet/b": "unchanged", "JobSet/c": "created"},
    )
    assert site.live("JobSet", "a")
    done = site.apply("--recreate", "always", *account)
    assert done.results["JobSet/a"] == "failed Forbidden"
