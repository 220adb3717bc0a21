"""Checks of what every build accepts, and what then misbehaves, is rejected later or violates a policy.

In: an admitted runtime, a TrainJob with its generated objects, or everything together (`views`). Out: findings of one
tree (`run`), and fixes (`fix`). Each file of `rules` has one check. Must not: read files, expand, or repeat admission.
"""
