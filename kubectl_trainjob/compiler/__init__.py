"""Objects in, the objects that the controllers would create out.

In: the objects of a build unit. Out: the generated objects and all problems. Must not: read files, know the clock.
"""
