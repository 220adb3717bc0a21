"""Older spellings of Trainer's own kinds: the first APIs (v2alpha1), and the fields of 2.0 to 2.2.

`table` has the rules by id, in their order; `spelling`, `templates`, `processes`, `jobs` and `overrides` have what they
do; `modernize` applies them. Each rule changes an object once: a second run finds nothing.

In: runtimes and TrainJobs of one unit, as written, and the version to write them for. Out: the same objects as that
version has them, and what a user has to decide. Must not: read files, expand anything, depend on another front end.
"""
