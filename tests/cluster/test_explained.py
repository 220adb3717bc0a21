"""`kubectl explain` on a real API server, for all fields of Trainer's kinds that are not in the template of a Pod."""

from __future__ import annotations

import subprocess

import pytest

from kubectl_trainjob.cli.app import run
from kubectl_trainjob.kube.schemas.load import field_paths
from tests.cluster.plane.plane import Plane
from tests.schemas.test_explain import lines
from tests.tools import require

pytestmark = pytest.mark.cluster


def test_fields(control_plane: type[Plane], capfd: pytest.CaptureFixture[str]) -> None:
    paths = sorted(field_paths("trainer-2.3", "trainer.kubeflow.org/v1alpha1", "TrainJob"))
    asked = ["trainjob." + path.replace("[]", "") for path in paths if "runtimePatches[]." not in path]
    assert len(asked) > 50
    with control_plane() as plane:
        for each in asked:
            command = [require("kubectl"), "--kubeconfig", str(plane.kubeconfig), "explain", each]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            capfd.readouterr()
            assert run("kubectl-trainjob", ["explain", each, "--trainer-version", "2.3"]) == 0
            assert lines(capfd.readouterr().out) == lines(done.stdout), each
