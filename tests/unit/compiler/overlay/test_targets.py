"""What a patch says whose target matches no object of the overlay."""

from __future__ import annotations

import pytest

from tests.unit.compiler.overlay.test_apply import Write, _build, write  # noqa: F401


@pytest.mark.parametrize(
    ("target", "advice"),
    [
        pytest.param("{kind: JobSet, name: a}", "generated later: patch the TrainJob or its runtime", id="a JobSet"),
        pytest.param("{kind: TrainJbo}", 'did you mean "TrainJob"?', id="a kind"),
        pytest.param("{kind: TrainJob, name: bert-larg}", 'did you mean "bert-large"?', id="a name"),
        pytest.param("{kind: TrainJob, name: other}", 'it has "bert-large"', id="no name near"),
    ],
)
def test_the_advice(write: Write, target: str, advice: str) -> None:  # noqa: F811
    patch = f"patches:\n- target: {target}\n  patch: '[{{op: add, path: /spec/suspend, value: true}}]'\n"
    job = (
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: bert-large}\n"
        "spec: {runtimeRef: {name: plain}}\n"
    )
    write({"o/overlay.yaml": "resources: [../jobs]\n" + patch, "jobs/a.yaml": job})
    [found] = [str(each.message) for each in _build("o").diagnostics if each.rule.id == "KTJ055"]
    assert advice in found
