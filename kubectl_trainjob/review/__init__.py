"""What a pull request does, in one report: each job with what a cluster makes of its change, and what is new wrong.

In: a difference as people are told of it, and a lint report. Out: `Review`. Must not: compile, read files, or word
anything; `report.review` does that.
"""
