"""The versions of upstream products that this tool has data for."""

from __future__ import annotations

NEXT = "next"
"""The main branches of Trainer and JobSet, of August 2026."""

TRAINER_VERSIONS = ("2.0", "2.1", "2.2.0", "2.2", "2.3", NEXT)
"""From old to new. A minor version is its newest patch release; an older one is here only if it differs."""

LATEST_TRAINER = "2.3"

SUPPORTED_TARGETS = {"trainer": TRAINER_VERSIONS, "jobset": ("0.12",), "kubernetes": ("1.36",)}

_SAME = {"2.0.0": "2.0", "2.0.1": "2.0", "2.1.0": "2.1", "2.2.1": "2.2", "2.3.0": "2.3", "0.12.0": "0.12"}
"""Releases by the version that has their data, from old to new."""

EMITS = ("jobset", "trainjob")
"""What a build prints for a TrainJob: the objects that Trainer generates, or the TrainJob itself."""


def supported_version(product: str, text: str) -> str:
    """The version of a product that has the data for `text`, such as "2.3" for "v2.3.0"; "" if none has."""
    version = text.removeprefix("v")
    version = _SAME.get(version, version)
    return version if version in SUPPORTED_TARGETS[product] else ""


def release_tag(trainer: str) -> str:
    """The tag of Trainer's images for one of `TRAINER_VERSIONS`; for the main branch, that of the latest release."""
    minor = LATEST_TRAINER if trainer == NEXT else trainer
    newest = {version: release for release, version in _SAME.items()}
    return f"v{newest.get(minor, minor)}"


def distinct_versions(versions: list[str]) -> list[str]:
    """Versions of Trainer for a message: without those that a minor version or the latest version includes."""
    minors = {f"{version}." for version in versions}
    latest = {NEXT} if LATEST_TRAINER in versions else set()
    return [each for each in versions if each not in latest and each.rpartition(".")[0] + "." not in minors]
