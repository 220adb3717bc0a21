"""Resolution: which runtime a TrainJob means.

In: an admitted TrainJob and the runtimes at hand. Out: the runtime's manifest, or a diagnostic that says where to look.
Must not: admit or expand anything.
"""
