"""Fixes to new texts of files: what lint proposes, at the lines that people wrote, comments and layout kept.

In: diagnostics, some with a `Fix`. Out: `fixes.Fixing`: each file's old and new text, and what was not mended, and why.
Must not: write files, or judge what a fix is good for.
"""
