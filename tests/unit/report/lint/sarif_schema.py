"""The schema of SARIF 2.1.0; where it is from says data/README.md."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs


@cache
def validator() -> Any:
    """What judges a log.

    The pattern of languages is left out: it is no regular expression, and no log of ours names one.
    """
    schema = json.loads(gzip.decompress((Path(__file__).parent / "data" / "sarif-2.1.0.json.gz").read_bytes()))
    for name in ("run", "toolComponent"):
        del schema["definitions"][name]["properties"]["language"]["pattern"]
    return jsonschema_rs.validator_for(schema, validate_formats=True)


def problems(log: Any) -> list[str]:
    """What the schema has against a log."""
    return [
        f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}" for error in validator().iter_errors(log)
    ]
