"""The values that all rooms share: places in files, objects, drafts, rules, findings, limits.

In: nothing. Out: immutable values. Must not: read files, know Kubernetes or check anything.
"""
