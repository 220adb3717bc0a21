"""Checks that no earlier stage makes: what is accepted, and then runs wrong, is refused late or is against a policy.

In: an admitted runtime, a TrainJob with what it becomes, or everything together (`views`). Out: findings that point
into these (`finding`). One file of `rules` is one rule. Must not: read files, expand, or judge what admission judges.
"""
