"""The passes: one module for each policy plugin of Trainer.

In: a `Plan`. Out: a new `Plan`, or findings. Must not: know another pass or the version: what versions do
differently are separate functions, or arguments that `kubectl_trainjob/compiler/versions.py` fills in.
"""
