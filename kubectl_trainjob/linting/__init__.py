"""What lint tells of a repository: every unit's findings without those that settings, comments or a baseline take.

In: paths, or two trees of files. Out: a `LintReport`. Must not: judge objects, write text.
"""
