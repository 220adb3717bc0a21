"""Expansion: one TrainJob and its runtime become what Trainer's controller would create.

In: `Resolved` (both admitted, defaults filled in), the runtime's template in canonical form, and the `Behaviour` of a
release. Out: drafts (the JobSet first, then PodGroups and ConfigMaps) and findings; and which Secrets must exist.
Must not: read files, know other jobs, change its input.

`run.py` is the order of things, `behaviour.py` what a release may do its own way, `plan.py` the data. `start.py` makes
the first plan, for which `overrides/` has one module for each field that changes the runtime's template. `passes/` has
one for each of Trainer's policy plugins (`…_checks` only judge), `builders/` one for each object that is made.
"""
