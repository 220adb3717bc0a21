"""Trouble with the environment, as opposed to the user's files."""

from __future__ import annotations


class EnvironmentFault(Exception):
    """The tool could not run: a path that is not there, a folder that cannot be read. Ends with exit code 2."""
