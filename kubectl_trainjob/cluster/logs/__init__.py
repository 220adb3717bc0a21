"""The logs of one Pod of a job: which Pod it is, and its output, also after restarts.

In: an `Api` and a `FoundJob`. Out: lines, as bytes. Must not: change the cluster, or print.
"""
