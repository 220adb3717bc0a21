"""The readers that have to agree: real programs and libraries, each given a stream and asked what it sees."""

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import ruamel.yaml
import yaml

from tests.tools import require

_LOST_BY_KUSTOMIZE = re.compile("[\x7f-\x9f\u2028\u2029\ufffe\uffff]")


def kubectl(text: str) -> list[Any]:
    """What kubectl would send to a server (go-yaml v2)."""
    command = [require("kubectl"), "label", "--local", "z=z", "-o", "json", "-f", "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return [_without_label(body) for body in _json_stream(done.stdout.decode())]


def kustomize(text: str) -> list[Any]:
    """What `kubectl kustomize` makes of the text as a resource (go-yaml v3), its own output read by kubectl."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "things.yaml").write_bytes(text.encode())
        Path(folder, "kustomization.yaml").write_text("resources: [things.yaml]\n")
        done = subprocess.run([require("kubectl"), "kustomize", folder], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
    return kubectl(done.stdout.decode())


def pyyaml(text: str) -> list[Any]:
    """PyYAML with libyaml (YAML 1.1)."""
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def ruamel_12(text: str) -> list[Any]:
    """ruamel.yaml as it comes (YAML 1.2)."""
    return list(ruamel.yaml.YAML(typ="safe", pure=True).load_all(text))


def ruamel_11(text: str) -> list[Any]:
    """ruamel.yaml as a reader of YAML 1.1."""
    reader = ruamel.yaml.YAML(typ="safe", pure=True)
    reader.version = (1, 1)
    return list(reader.load_all(text))


def differences(meant: Any, read: Any, path: str = "") -> list[str]:
    """Where `read` is not what was meant, types included."""
    if isinstance(meant, dict) and isinstance(read, dict):
        lost = [f"{path}: key {key!r} lost" for key in meant if key not in read]
        new = [f"{path}: key {key!r} appeared" for key in read if key not in meant]
        return (
            lost
            + new
            + [d for key in meant if key in read for d in differences(meant[key], read[key], f"{path}/{key[:20]!r}")]
        )
    if isinstance(meant, list) and isinstance(read, list) and len(meant) == len(read):
        return [d for i, pair in enumerate(zip(meant, read, strict=True)) for d in differences(*pair, f"{path}/{i}")]
    same = meant == read and isinstance(meant, bool) is isinstance(read, bool)
    return [] if same else [f"{path}: meant {meant!r:.200}, read {read!r:.200}"]


def _json_stream(text: str) -> list[Any]:
    decoder, bodies, at = json.JSONDecoder(), [], 0
    while at < len(text):
        body, at = decoder.raw_decode(text, at)
        bodies.append(body)
        while at < len(text) and text[at].isspace():
            at += 1
    return bodies


def _without_label(body: dict[str, Any]) -> dict[str, Any]:
    del body["metadata"]["labels"]
    return body


def spare_kustomize(value: Any) -> Any:
    """The data without what `kubectl kustomize` loses however it is written.

    It passes objects through JSON that it reads as YAML: control characters are rejected or become blanks, a key `<<`
    is merged away, keys of 1024 characters fail. Its writer breaks a text that ends in a line separator.
    """
    if isinstance(value, dict):
        return {spare_kustomize(key)[:500].replace("<<", "<"): spare_kustomize(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [spare_kustomize(item) for item in value]
    return _LOST_BY_KUSTOMIZE.sub("", value) if isinstance(value, str) else value
