"""Checks of objects that a build accepts, but that misbehave, are rejected later or violate a policy.

In: an admitted runtime, a TrainJob with its generated objects, or everything together (`views`). Out: findings of one
tree (`run`), and fixes (`fix`). Each file of `rules` has one check. Must not: read files, expand, or repeat admission.
"""
