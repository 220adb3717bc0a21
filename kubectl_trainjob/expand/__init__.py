"""Expansion: one TrainJob and its runtime become what Trainer's controller would create.

In: `Resolved` (both admitted, defaults filled in). Out: `Expanded` (JobSet, PodGroups, ConfigMaps; the Secrets that
must exist; diagnostics). Must not: read files, know other jobs, change its input.

`run.py` is the order of things; `plan.py` the data; `passes/` has one module for each of Trainer's policy plugins and
`builders/` one for each object that is made.
"""
