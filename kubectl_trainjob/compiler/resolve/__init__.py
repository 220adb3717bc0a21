"""Resolution: what the inputs mean to each other.

In: manifests, admitted TrainJobs, the targets that repositories name. Out: which Trainer is meant, which runtime a
TrainJob refers to, and diagnostics for objects given twice or of kinds that are not expanded. Must not: admit or expand
anything.
"""
