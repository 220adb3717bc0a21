"""The builders: one module for each kind of object that an expansion generates.

In: a `Plan` after all passes. Out: a `Draft` of the object. Must not: know another builder or a pass.

All get the same plan. `jobset.py` writes some fields last: the numbers of Pods, the TrainJob's image, env and, up to
2.2, its resources. The others do not see these in the plan's JobSet, like upstream's plugins.
"""
