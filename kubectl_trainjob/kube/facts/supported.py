"""The versions of upstream products that this tool has data for."""

from __future__ import annotations

TRAINER_VERSIONS = ("2.0", "2.1", "2.2", "2.3")
LATEST_TRAINER = TRAINER_VERSIONS[-1]

SUPPORTED_TARGETS = {"trainer": TRAINER_VERSIONS, "jobset": ("0.12",), "kubernetes": ("1.36",)}

EMITS = ("jobset", "trainjob")
"""What a build prints for a TrainJob: the objects that Trainer generates, or the TrainJob itself."""
