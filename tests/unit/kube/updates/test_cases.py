"""Our verdicts on updates that a server was asked about."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.updates.result import STATES
from tests.unit.kube.updates.cases import JOBSETS, RUNTIMES, TRAIN_JOBS, Update, verdict_on

EMPTIED = 'in body must be of type object: "null"; server-side apply empties the mapping, remove it'


@pytest.mark.parametrize("update", [pytest.param(each, id=each.name) for each in TRAIN_JOBS])
def test_train_job(update: Update) -> None:
    _agrees(update)


@pytest.mark.parametrize("update", [pytest.param(each, id=each.name) for each in JOBSETS])
def test_jobset(update: Update) -> None:
    _agrees(update)


@pytest.mark.parametrize("update", [pytest.param(each, id=each.name) for each in RUNTIMES])
def test_runtime(update: Update) -> None:
    _agrees(update)


@pytest.mark.parametrize(
    ("updates", "name", "message"),
    [
        pytest.param(
            JOBSETS, "failurePolicy emptied", "spec.failurePolicy: Value is immutable", id="a default is left"
        ),
        pytest.param(JOBSETS, "successPolicy emptied", f"spec.successPolicy: {EMPTIED}", id="nothing is left"),
        pytest.param(RUNTIMES, "network emptied", f"spec.template.spec.network: {EMPTIED}", id="nothing of a runtime"),
    ],
)
def test_what_is_said_of_an_empty_mapping(updates: list[Update], name: str, message: str) -> None:
    verdict = verdict_on(next(update for update in updates if update.name == name))
    assert {rejection.reason for rejection in verdict.rejections} == {message}


def _agrees(update: Update) -> None:
    """The server names the field of the first stage that rejects, and so do we first."""
    verdict = verdict_on(update)
    first = {rejection.state: rejection.reason.partition(": ")[0] for rejection in reversed(verdict.rejections)}
    assert first == {**update.rejected, **update.hidden}
    assert [state for state in STATES if not verdict.accepts(state)] == list(update.rejected)
