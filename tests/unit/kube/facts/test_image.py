"""References to images: valid exactly where github.com/distribution/reference accepts them."""

from __future__ import annotations

import pytest

from kubectl_trainjob.kube.facts.image import image_error
from tests.unit.kube.facts import vectors


def differences(pairs: vectors.Pairs) -> list[str]:
    return [image for image, is_valid in pairs if is_valid == bool(image_error(image))]


def test_valid_where_upstream_recorded_it() -> None:
    pairs = vectors.recorded("images")
    assert sum(is_valid for _, is_valid in pairs) > 500
    assert sum(not is_valid for _, is_valid in pairs) > 500
    assert differences(pairs) == []


@pytest.mark.go
def test_valid_where_upstream_accepts_it_now() -> None:
    assert differences(vectors.live("images", range(50_000, 60_000))) == []
