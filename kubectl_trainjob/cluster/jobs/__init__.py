"""The jobs of a cluster: which ones exist, and what each of them does.

In: an `Api`, or what was read through it. Out: `FoundJob` (the objects of a job), `SeenJob` (with all that explains its
state) and `JobStatus` (the state). Must not: change the cluster, print, or decide a state while reading.
"""
