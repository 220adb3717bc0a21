"""The difference between the compiled objects of two trees: what changed, why, and which updates a cluster rejects.

`objects` is the entry: `pairing` finds the same object in base and head, and `fields` the values that differ. `causes`
finds the changed inputs, and `summaries` the TrainJobs and what they request. `view` adds the lines for reports.

In: the compiled objects of base and head. Out: `Difference`. Must not: read files, write text.
"""
