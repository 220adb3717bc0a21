"""Two results of a compilation side by side: what changed, what a cluster says to it, and what moves.

In: what each side's inputs became. Out: `Difference`, a value that knows no text. Must not: read files, print.
"""
