"""Fixes to new texts of files: the edits of lint at the lines that users wrote, with comments and layout kept.

In: diagnostics, some with a `Fix`. Out: `fixes.FixResult`: the old and new text of each file, and why other fixes were
not made. Must not: write files, or decide whether a fix is useful.
"""
