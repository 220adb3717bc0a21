"""Rules and diagnostics: what can be wrong with a user's files, and one occurrence of it.

In: nothing. Out: `Rule` definitions (each with its manual) and the `Diagnostic` value that every stage returns.
Must not: read files, know a stage, or decide whether a rule applies.
"""
