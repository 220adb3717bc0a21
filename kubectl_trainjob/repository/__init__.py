"""Reads and writes a repository: from disk or from a commit; YAML, templates, overlays, output files, line numbers.

In: paths or commits. Out: objects with their places, and texts. Must not: compile or check objects.
"""
