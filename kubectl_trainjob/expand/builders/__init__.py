"""The builders: one module for each kind of object that an expansion makes.

In: a `Plan` after all passes. Out: a `Draft` of the object (or none). Must not: know another builder or a pass.
"""
