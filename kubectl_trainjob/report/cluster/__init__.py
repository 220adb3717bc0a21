"""Reports of the commands that talk to a cluster.

In: the values that `cluster` returns. Out: text, JSON and YAML. Must not: ask the cluster.
"""
