"""How admission checks the update of a live object, before users apply it.

In: two versions of a TrainJob or runtime, as written or as admitted, or of a JobSet, as printed. Out: an `UpdateResult`
for each state of suspension, and the consequence of a change in words. Must not: read a cluster or other objects, or
put values into messages: they may be secret.
"""
