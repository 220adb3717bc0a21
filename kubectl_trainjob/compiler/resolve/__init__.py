"""Resolution: the references between the inputs.

In: manifests, admitted TrainJobs, the names of the catalogue. Out: the runtime of each TrainJob, and diagnostics for
duplicate objects and for kinds that are not expanded. Must not: admit or expand anything.
"""
