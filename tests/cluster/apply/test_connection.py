"""The way to the cluster: kubeconfig files, programs for credentials, and proxies. Real kubectl says what is right."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.cluster.apply.forward_proxy import ForwardProxy
from tests.cluster.apply.inputs import Object, config, job
from tests.cluster.apply.program import Ended, Program
from tests.cluster.apply.proxy import answer, drip, html
from tests.cluster.apply.site import Site
from tests.loops import report
from tests.tools import require

pytestmark = pytest.mark.cluster

_HOST = "https://kube.example:6443"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def kubeconfig(site: Site, **cluster: Any) -> Object:
    """The kubeconfig of a place, with other settings of the cluster."""
    found: Object = json.loads(site.kubeconfig().read_text())
    found["clusters"][0]["cluster"] |= cluster
    return found


def environment(file: Path | str, given: Mapping[str, str] = {}) -> dict[str, str]:
    """The environment of a user, without proxies of this machine."""
    return {**dict.fromkeys((*_PROXIES, *map(str.lower, _PROXIES)), ""), **given, "KUBECONFIG": str(file)}


def kubectl(folder: Path, variables: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run kubectl as the same user."""
    everything = {**os.environ, **variables, "HOME": str(folder)}
    command = [require("kubectl"), "--request-timeout=60s", *arguments]
    return subprocess.run(command, env=everything, capture_output=True, text=True, check=False)


def ours(site: Site, variables: Mapping[str, str], *arguments: str) -> Ended:
    """Run the tool as the same user."""
    site.folder.mkdir(exist_ok=True)
    return Program(arguments, site.folder, variables).end()


class ProxyCase(NamedTuple):
    """Settings that choose a proxy; PROXY and DEAD are addresses."""

    variables: dict[str, str]
    url: str = ""
    host: str = _HOST


_LOCAL = ""
PROXY_CASES = {
    "none": ProxyCase({}),
    "proxy-url": ProxyCase({}, "PROXY"),
    "proxy-url before the environment": ProxyCase({"HTTPS_PROXY": "DEAD"}, "PROXY"),
    "proxy-url whatever NO_PROXY says": ProxyCase({"NO_PROXY": "kube.example"}, "PROXY"),
    "proxy-url for this machine": ProxyCase({}, "PROXY", _LOCAL),
    "proxy-url with a user": ProxyCase({}, "USER"),
    "HTTPS_PROXY": ProxyCase({"HTTPS_PROXY": "PROXY"}),
    "https_proxy": ProxyCase({"https_proxy": "PROXY"}),
    "HTTPS_PROXY with a user": ProxyCase({"HTTPS_PROXY": "USER"}),
    "HTTP_PROXY is for other addresses": ProxyCase({"HTTP_PROXY": "PROXY"}),
    "ALL_PROXY is not read": ProxyCase({"ALL_PROXY": "PROXY"}),
    "HTTPS_PROXY, not for this machine": ProxyCase({"HTTPS_PROXY": "DEAD"}, host=_LOCAL),
    "NO_PROXY has the host": ProxyCase({"HTTPS_PROXY": "PROXY", "NO_PROXY": "a.b, kube.example"}),
    "NO_PROXY has the domain": ProxyCase({"HTTPS_PROXY": "PROXY", "NO_PROXY": ".example"}),
    "NO_PROXY has another port": ProxyCase({"HTTPS_PROXY": "PROXY", "NO_PROXY": "kube.example:1"}),
    "NO_PROXY has everything": ProxyCase({"HTTPS_PROXY": "PROXY", "NO_PROXY": "*"}),
    "NO_PROXY has others": ProxyCase({"HTTPS_PROXY": "PROXY", "NO_PROXY": "10.0.0.0/8,ube.example"}),
}


def test_proxies_as_kubectl(site: Site, tmp_path: Path) -> None:
    failures = []
    site.applied(job("a"))
    with ForwardProxy(site.proxy.port) as proxy:
        addresses = {"PROXY": f"http://127.0.0.1:{proxy.port}", "DEAD": "http://127.0.0.1:9"}
        addresses["USER"] = f"http://robot:pass-canary%21@127.0.0.1:{proxy.port}"
        for name, case in PROXY_CASES.items():
            settings = {"proxy-url": addresses[case.url]} if case.url else {}
            server = {"server": case.host, "tls-server-name": "localhost"} if case.host else {}
            file = tmp_path / "config.json"
            file.write_text(json.dumps(kubeconfig(site, **settings, **server)))
            variables = environment(file, {key: addresses.get(each, each) for key, each in case.variables.items()})
            proxy.tunnels.clear()
            theirs = kubectl(tmp_path, variables, "get", "configmaps").returncode == 0, _heads(proxy)
            proxy.tunnels.clear()
            done = ours(site, variables, "status")
            found = done.code == 0, _heads(proxy)
            if found != theirs or "canary" in done.out + done.err or "Traceback" in done.err:
                failures.append(f"== {name}: {found} instead of {theirs}: {done}")
    report(failures, len(PROXY_CASES))


def test_a_proxy_that_does_not_answer(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(kubeconfig(site, **{"proxy-url": "http://robot:canary@127.0.0.1:9"})))
    done = ours(site, environment(file), "status")
    cause = "the cluster does not answer: the proxy does not answer: [Errno 111] Connection refused; check the network"
    assert (done.code, done.out, done.err) == (2, "", f"error: {cause} and --context\n")


def _heads(proxy: ForwardProxy) -> set[tuple[str, str]]:
    """Target and credentials of the tunnels."""
    heads = [[line.partition(": ") for line in each.split("\r\n")] for each in proxy.tunnels]
    fields = [({key.lower(): value for key, _, value in lines}, lines[0][0].split()[1]) for lines in heads]
    return {(target, each.get("proxy-authorization", "")) for each, target in fields}


PLUGIN = """\
#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" > info
echo x >> calls
echo "please log in" >&2
test "$EXIT" && exit "$EXIT"
token=$(sed -n "$(wc -l < calls)p" tokens)
version='"apiVersion":"client.authentication.k8s.io/v1"'
printf '%s' "{\\"kind\\":\\"ExecCredential\\",$version,\\"status\\":{$token}}"
"""
_FOREVER = '"expirationTimestamp":"2999-01-01T00:00:00Z"'


class Plugin(NamedTuple):
    """A program that gives credentials, one answer for each call, and the kubeconfig that names it."""

    site: Site
    folder: Path
    good: str

    def answers(self, *answers: str, **settings: Any) -> dict[str, str]:
        """The environment of a user whose program gives these answers."""
        (self.folder / "tokens").write_text("".join(f"{each}\n" for each in answers))
        (self.folder / "calls").write_text("")
        body = kubeconfig(self.site)
        settings = {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never", **settings}
        body["users"][0]["user"] = {"exec": {"command": "./plugin", **settings}}
        file = self.folder / "config.json"
        file.write_text(json.dumps(body))
        return environment(file)

    @property
    def calls(self) -> int:
        """How often it ran."""
        return len((self.folder / "calls").read_text().split())


@pytest.fixture
def plugin(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plugin:
    """The program; its files are in the current folder."""
    folder = tmp_path / "plugin"
    folder.mkdir()
    script = PLUGIN.replace("info\n", f"{folder}/info\n").replace("calls", f"{folder}/calls")
    (folder / "plugin").write_text(script.replace(" tokens", f" {folder}/tokens"))
    (folder / "plugin").chmod(0o755)
    monkeypatch.chdir(folder)
    return Plugin(site, folder, kubeconfig(site)["users"][0]["user"]["token"])


def test_a_program_gives_the_token_once(plugin: Plugin) -> None:
    variables = plugin.answers(f'"token":"{plugin.good}"', env=[{"name": "EXIT", "value": ""}], args=["get-token"])
    plugin.site.files(*(config(f"c{number}") for number in range(9)), job("a"))
    done = ours(plugin.site, variables, "apply")
    assert (done.code, plugin.calls) == (0, 1), done
    assert "please log in" in done.err
    assert plugin.good not in done.out + done.err


def test_the_program_gets_what_kubectl_gets(plugin: Plugin) -> None:
    answer = f'"token":"{plugin.good}",{_FOREVER}'
    variables = plugin.answers(answer, answer, provideClusterInfo=True)
    assert kubectl(plugin.folder, variables, "get", "configmaps").returncode == 0
    theirs = json.loads((plugin.folder / "info").read_text())
    assert ours(plugin.site, variables, "status").code == 0
    assert json.loads((plugin.folder / "info").read_text()) == theirs


def test_rejected_credentials_are_renewed_once(plugin: Plugin) -> None:
    good, bad = f'"token":"{plugin.good}",{_FOREVER}', f'"token":"bad-canary-token",{_FOREVER}'
    plugin.site.files(*(config(f"c{number}") for number in range(9)), job("a"))
    done = ours(plugin.site, plugin.answers(bad, good), "apply")
    assert (done.code, plugin.calls) == (0, 2), done
    plugin.site.proxy.clear()
    done = ours(plugin.site, plugin.answers(bad, bad, bad), "apply")
    assert (done.code, done.out, plugin.calls) == (2, "", 2), done
    assert done.err.splitlines()[-1].startswith("error: the cluster rejects the credentials")
    assert len(plugin.site.proxy.requests) == 2
    assert "canary" not in done.err


def test_expired_credentials_are_renewed_before_the_next_request(plugin: Plugin) -> None:
    over = '"token":"old-canary-token","expirationTimestamp":"2020-01-01T00:00:00Z"'
    good = f'"token":"{plugin.good}",{_FOREVER}'
    done = ours(plugin.site, plugin.answers(over, good), "status")
    assert (done.code, plugin.calls) == (0, 2), done
    assert all("canary" not in one.headers["authorization"] for one in plugin.site.proxy.requests)


def test_credentials_that_end_during_an_apply(plugin: Plugin) -> None:
    """The server rejects the token at the first write; the program gives the same one, then none at all."""
    good = f'"token":"{plugin.good}",{_FOREVER}'
    site = plugin.site
    site.files(config("c"), job("a"))
    site.proxy.on("PATCH", "/jobsets/a", answer(401, "Unauthorized"), only=lambda one: one.is_write)
    assert (ours(site, plugin.answers(good, good), "apply").code, plugin.calls) == (0, 2)
    site.files(config("c", "2"), job("b"))
    site.proxy.on("PATCH", "/jobsets/b", answer(401, "Unauthorized"), times=9, only=lambda one: one.is_write)
    done = ours(site, plugin.answers(good, "broken"), "apply")
    assert (done.code, plugin.calls) == (1, 2), done
    assert "jobset.jobset.x-k8s.io/b failed (Unauthorized" in done.out
    assert "configmap/c configured" in done.out


_GROUP = "client.authentication.k8s.io"
BROKEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "it fails": ("", {"env": [{"name": "EXIT", "value": "3"}]}, "exit code 3"),
    "it is missing": ("", {"command": "./nowhere", "installHint": "install it"}, "install it"),
    "no JSON": ("canary", {}, "not an ExecCredential"),
    "no credentials": (_FOREVER, {}, "neither a token nor a certificate"),
    "half a certificate": ('"clientCertificateData":"canary"', {}, "neither a token nor a certificate"),
    "another version": ('"token":"canary"', {"apiVersion": "client.authentication.k8s.io/v1beta1"}, "v1beta1"),
    "a day": ('"token":"canary","expirationTimestamp":"2999-01-01"', {}, "not an ExecCredential"),
    "no version": ('"token":"canary"', {"apiVersion": ""}, "set apiVersion"),
    "a version that no kubectl has": ('"token":"canary"', {"apiVersion": f"{_GROUP}/v1alpha1"}, "set apiVersion"),
    "no mode": ('"token":"canary"', {"interactiveMode": None}, "set interactiveMode"),
    "an unknown mode": ('"token":"canary"', {"interactiveMode": "Sometimes"}, "set interactiveMode"),
    "a variable without a name": ('"token":"canary"', {"env": [{"value": "a"}]}, "has no name"),
    "it needs a terminal": ('"token":"canary"', {"interactiveMode": "Always"}, "terminal"),
}


def test_a_program_without_credentials(plugin: Plugin) -> None:
    failures = []
    for name, (answered, settings, said) in BROKEN.items():
        variables = plugin.answers(*[answered] * 9, **settings)
        assert kubectl(plugin.folder, variables, "get", "configmaps").returncode != 0, name
        plugin.site.proxy.clear()
        done = ours(plugin.site, variables, "status")
        last = done.err.splitlines()[-1]
        is_right = last.startswith("error: cannot get credentials from ") and said in last and "canary" not in done.err
        if (done.code, done.out, is_right, plugin.site.proxy.requests) != (2, "", True, []):
            failures.append(f"== {name}: {done}")
    report(failures, len(BROKEN))


def test_what_a_program_may_leave_out(plugin: Plugin) -> None:
    """The older version needs no mode, and a variable no value."""
    script = plugin.folder / "plugin"
    script.write_text(script.read_text().replace(f"{_GROUP}/v1", f"{_GROUP}/v1beta1"))
    settings = {"apiVersion": f"{_GROUP}/v1beta1", "interactiveMode": None, "env": [{"name": "EXIT"}]}
    variables = plugin.answers(*[f'"token":"{plugin.good}"'] * 2, **settings)
    assert kubectl(plugin.folder, variables, "get", "configmaps").returncode == 0
    assert ours(plugin.site, variables, "status").code == 0


def test_what_kubectl_uses_instead_of_a_program(plugin: Plugin) -> None:
    """Some settings override the program, others may not be beside it."""
    failures = []
    for more in ({"token": plugin.good}, {"username": "u", "password": "p"}, {"auth-provider": {"name": "oidc"}}):
        variables = plugin.answers(*['"token":"canary"'] * 9)
        file = Path(variables["KUBECONFIG"])
        body = json.loads(file.read_text())
        body["users"][0]["user"] |= more
        file.write_text(json.dumps(body))
        theirs = kubectl(plugin.folder, variables, "get", "configmaps").returncode == 0, plugin.calls
        (plugin.folder / "calls").write_text("")
        done = ours(plugin.site, variables, "status")
        if (done.code == 0, plugin.calls) != theirs or plugin.calls:
            failures.append(f"== {more}: {done} instead of {theirs}")
    report(failures, 3)


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_a_token_file_that_never_ends(site: Site, tmp_path: Path, kind: str) -> None:
    file, token = tmp_path / "config.json", Path("/dev/zero")
    if kind == "pipe":
        token = tmp_path / "token"
        os.mkfifo(token)
    body = kubeconfig(site)
    body["users"][0]["user"] = {"tokenFile": str(token)}
    file.write_text(json.dumps(body))
    done = ours(site, environment(file), "status")
    said = f"error: tokenFile of the kubeconfig is not a file, or is larger than 1 MiB: {token}\n"
    assert (done.code, done.out, done.err) == (2, "", said)


def test_the_first_file_chooses_the_context(site: Site, tmp_path: Path) -> None:
    first, second = kubeconfig(site), kubeconfig(site)
    second["current-context"] = second["contexts"][0]["name"] = "other"
    second["contexts"][0]["context"] = {**second["contexts"][0]["context"], "namespace": "default"}
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, body in zip(files, (first, second), strict=True):
        file.write_text(json.dumps(body))
    variables = environment(os.pathsep.join(map(str, files)))
    assert kubectl(tmp_path, variables, "config", "current-context").stdout.strip() == first["current-context"]
    site.files(config("c"))
    assert ours(site, variables, "apply").code == 0
    assert site.live("ConfigMap", "c")
    assert "/namespaces/default/" in "".join(_paths(site, variables, "--context", "other"))


def _paths(site: Site, variables: Mapping[str, str], *arguments: str) -> list[str]:
    site.proxy.clear()
    assert ours(site, variables, "status", *arguments).code == 0
    return [one.path for one in site.proxy.requests]


def test_the_kubeconfig_names_another_user(site: Site, tmp_path: Path) -> None:
    """`as` in a kubeconfig limits what its user may do."""
    body = kubeconfig(site)
    body["users"][0]["user"] |= {
        "as": "nobody",
        "as-groups": ["a", "b"],
        "as-uid": "1",
        "as-user-extra": {"x/y": ["z"]},
    }
    file = tmp_path / "config.json"
    file.write_text(json.dumps(body))
    site.proxy.clear()
    assert "Forbidden" in kubectl(tmp_path, environment(file), "get", "configmaps").stderr
    theirs = _impersonated(site)
    site.proxy.clear()
    done = ours(site, environment(file), "status")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith("error: Forbidden")
    assert _impersonated(site) == theirs
    assert theirs["impersonate-user"] == "nobody"
    site.proxy.clear()
    ours(site, environment(file), "status", "--as", "me", "--as-group", "c")
    found = _impersonated(site)
    assert (found["impersonate-user"], found["impersonate-group"]) == ("me", "c")


def _impersonated(site: Site) -> dict[str, str]:
    headers = site.proxy.requests[-1].headers.items()
    return {key.lower(): value for key, value in headers if key.lower().startswith("impersonate-")}


def test_without_a_check_of_the_certificate_nothing_is_said(site: Site, tmp_path: Path) -> None:
    body = kubeconfig(site, **{"insecure-skip-tls-verify": True})
    del body["clusters"][0]["cluster"]["certificate-authority"]
    file = tmp_path / "config.json"
    file.write_text(json.dumps(body))
    site.files(config("c"))
    done = ours(site, environment(file), "apply")
    assert (done.code, done.err) == (0, "")


class LoginCase(NamedTuple):
    """Settings of the user and the cluster. TOKEN is a valid token; the files `token` and `ca.crt` are beside."""

    user: Mapping[str, Any] = MappingProxyType({"token": "TOKEN"})
    cluster: Mapping[str, Any] = MappingProxyType({})


LOGINS = {
    "token file": LoginCase({"tokenFile": "FOLDER/token"}),
    "token file beside the kubeconfig": LoginCase({"tokenFile": "token"}),
    "token file before token": LoginCase({"tokenFile": "FOLDER/token", "token": "canary"}),
    "no token file": LoginCase({"tokenFile": "none"}),
    "token of two lines": LoginCase({"token": "canary\nTOKEN"}),
    "token that is no header": LoginCase({"token": "canary\u20ac"}),
    "authority beside the kubeconfig": LoginCase(cluster={"certificate-authority": "ca.crt"}),
    "authority and no check": LoginCase(cluster={"insecure-skip-tls-verify": True}),
    "token and password": LoginCase({"token": "TOKEN", "username": "u", "password": "canary"}),
    "old plugin": LoginCase({"auth-provider": {"name": "gcp"}}),
    "authority as file and data": LoginCase(cluster={"certificate-authority-data": "Y2FuYXJ5"}),
    "groups without a user": LoginCase({"token": "TOKEN", "as-groups": ["system:masters"]}),
    "uid without a user": LoginCase({"token": "TOKEN", "as-uid": "1"}),
    "extra without a user": LoginCase({"token": "TOKEN", "as-user-extra": {"a": ["b"]}}),
}


def test_logins_as_kubectl(site: Site, tmp_path: Path) -> None:
    """The user is in another file than the cluster, each with its own files beside it."""
    site.applied(job("a"))
    body = kubeconfig(site)
    token, cluster = body["users"][0]["user"]["token"], body["clusters"][0]["cluster"]
    folders = tmp_path / "cluster", tmp_path / "user"
    for folder in folders:
        folder.mkdir()
    (folders[0] / "ca.crt").write_text(Path(cluster["certificate-authority"]).read_text())
    (folders[1] / "token").write_text(f"{token}\n")
    failures = []
    for name, case in LOGINS.items():
        user = json.loads(json.dumps(dict(case.user)).replace("TOKEN", token).replace("FOLDER", str(folders[1])))
        given = {**body, "users": [], "clusters": [{**body["clusters"][0], "cluster": {**cluster, **case.cluster}}]}
        (folders[0] / "config").write_text(json.dumps(given))
        (folders[1] / "config").write_text(json.dumps({**given, "users": [{"name": "admin", "user": user}]}))
        variables = environment(os.pathsep.join(str(folder / "config") for folder in folders))
        theirs = kubectl(tmp_path, variables, "get", "configmaps").returncode == 0
        done = ours(site, variables, "status")
        is_right = (done.code == 0) == theirs and (theirs or done.err.splitlines()[-1].startswith("error: "))
        if not is_right or any(word in done.err for word in ("Traceback", "canary", token)):
            failures.append(f"== {name}: {done}, kubectl {theirs}")
    report(failures, len(LOGINS))


_PARTS = '"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}]'
_CLUSTER = '"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}]'
CONFIGS = {
    "not YAML": "users: [{name: a, user: {token: canary-token",
    "no mapping": "canary-token",
    "empty": "",
    "no user": f'{{{_PARTS}, {_CLUSTER}, "users": []}}',
    "no cluster": f"{{{_PARTS}}}",
    "no context": '{"contexts": [], "clusters": [], "users": [{"name": "u", "user": {"token": "canary-token"}}]}',
    "no such context": '{"current-context": "a", "contexts": [], "clusters": [], "users": []}',
    "a key that is no key": f'{{{_PARTS}, {_CLUSTER}, "users": [{{"name": "u", "user":'
    ' {"client-key-data": "canary-token", "client-certificate-data": "canary-token"}}]}',
}


def test_broken_kubeconfigs(site: Site, tmp_path: Path) -> None:
    failures = []
    for name, text in CONFIGS.items():
        file = tmp_path / "config.yaml"
        file.write_text(text)
        assert kubectl(tmp_path, environment(file), "get", "configmaps").returncode != 0, name
        done = ours(site, environment(file), "status")
        is_right = done.err.splitlines()[-1].startswith("error: ") and not any(
            word in done.err for word in ("canary", "Traceback", "Warning")
        )
        if (done.code, done.out, is_right) != (2, "", True):
            failures.append(f"== {name}: {done}")
    report(failures, len(CONFIGS))


@pytest.mark.parametrize("command", [("status",), ("apply",), ("doctor",), ("suspend", "a"), ("controller", "once")])
def test_a_page_that_is_missing(site: Site, tmp_path: Path, command: tuple[str, ...]) -> None:
    """The address has a path that its server does not know, as behind a gateway."""
    file = tmp_path / "config.json"
    body = kubeconfig(site)
    body["clusters"][0]["cluster"]["server"] += "/k8s/clusters/none"
    file.write_text(json.dumps(body))
    assert kubectl(tmp_path, environment(file), "get", "configmaps").returncode != 0
    site.files(job("a"))
    done = ours(site, environment(file), *command)
    said = "error: the answer is not from an API server; check the address in the kubeconfig\n"
    assert (done.code, done.out, done.err) == (2, "", said)


def test_answers_that_are_not_from_an_api_server(site: Site) -> None:
    """A page of a portal, on each request after the n-th: an error, never a traceback."""
    site.files(config("c"), job("m", "mpi"))
    count = len(site.apply("--dry-run=server").requests)
    failures = []
    for number in range(count):
        site.proxy.clear()
        site.proxy.on("", "", html, times=1 << 30, skip=number)
        done = site.apply()
        is_right = "Traceback" not in done.ended.err and done.code == (2 if not done.ended.out else 1)
        if not is_right or done.writes:
            failures.append(f"== after {number}: {done.ended} {done.writes}")
    report(failures, count)


def test_an_answer_that_never_ends_is_tried_again(site: Site) -> None:
    site.files(config("c"))
    site.proxy.on("GET", "/configmaps", drip(0.1), times=1)
    site.proxy.on("PATCH", "/configmaps/c", drip(0.1), times=1, only=lambda one: one.is_write)
    done = site.apply("--request-timeout", "1s")
    assert (done.code, done.results) == (0, {"ConfigMap/c": "created"}), done.ended
