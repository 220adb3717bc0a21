"""Errors of the environment, as opposed to errors in the user's files."""

from __future__ import annotations


class EnvironmentFault(Exception):
    """The tool failed: for example, a path does not exist or a directory cannot be read. The exit code is 2."""
