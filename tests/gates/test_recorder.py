"""A draft that does not record makes nothing that only a recorder needs."""

import pytest

from kubectl_trainjob.model.draft import Draft, draft
from tests.benchmark import corpus
from tests.gates.work import build

pytestmark = pytest.mark.gate


def test_no_origin_is_made_when_nobody_asks(monkeypatch):
    def reject(*_args, **_more):
        raise AssertionError("an origin was made")

    text = "---\n".join(corpus.documents(14))
    expected = build(text)
    monkeypatch.setattr(draft, "OriginTree", reject)
    monkeypatch.setattr(draft, "Origin", reject)
    assert build(text) == expected
    with pytest.raises(AssertionError, match="an origin was made"):
        Draft({}, {}).put(("a",), 1)
