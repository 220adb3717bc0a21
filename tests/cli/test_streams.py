"""What leaves by stdout."""

from dataclasses import replace

import pytest

from kubectl_trainjob.cli import streams
from kubectl_trainjob.faults import EnvironmentFault
from kubectl_trainjob.limits import LIMITS


def test_a_result_beyond_the_limit_is_refused_whole(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LIMITS", replace(LIMITS, output_bytes=5))
    with pytest.raises(EnvironmentFault, match="the result is larger than"):
        streams.emit(["é" * 2, "ab"])
    assert capfdbinary.readouterr().out == b""
    streams.emit(["é" * 2, "a"])
    assert capfdbinary.readouterr().out == "ééa".encode()
