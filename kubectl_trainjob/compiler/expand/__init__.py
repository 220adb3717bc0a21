"""Expansion: from one TrainJob and its runtime to the objects that Trainer's controller would create.

In: `ResolvedJob` (both admitted, with defaults), the runtime's template in canonical form, and the `Behaviour` of a
release. Out: drafts (the JobSet first, then PodGroups and ConfigMaps) and findings; and which Secrets must exist.
Must not: read files, know other jobs, change its input.

`run.py` has the order of the work, `behaviour.py` what differs between releases, `plan.py` the data. `overrides.py`
merges the fields that change the runtime's template. `passes/` has a module for each of Trainer's policy plugins
(`…_checks` only check), `builders/` one for each generated object.
"""
