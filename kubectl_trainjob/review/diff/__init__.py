"""The difference between the compiled objects of two sides: what changed, why, and which updates a cluster rejects.

`objects` is the entry: `pairing` finds the same object on both sides, `fields` the values that differ, `causes` the
changed inputs, `summaries` the TrainJobs and what they request. `view` adds the lines for reports.

In: the compiled objects of both sides. Out: `Difference`. Must not: read files, write text.
"""
