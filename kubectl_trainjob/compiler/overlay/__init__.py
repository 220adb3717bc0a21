"""Overlays: what an `overlay.yaml` says, laid over the objects below it.

In: plain objects and one setting each (a patch, labels, images, a namespace, a name suffix), through drafts. Out: the
objects as the overlay makes them; each value remembers the overlay's line when that is asked for. Must not: read files,
look at expanded objects, or write into the objects that it is given.
"""
