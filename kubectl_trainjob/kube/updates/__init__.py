"""What admission says to the update of a live object, before anybody applies it.

In: two versions of a TrainJob, as written or as admitted, or of a JobSet, as printed. Out: a `Verdict` for each state
of suspension, and words for what a change does in a cluster. Must not: look at a cluster, at other objects, or put
values into what it says: they may be secret.
"""
