"""Commits of a git repository, read as files; nothing is checked out and no program of the repository runs.

In: the names of commits. Out: the files of a commit. Must not: write.
"""
