"""Why a value of an object is what it is.

In: an object whose draft recorded the origin of each value. Out: its provenance, and an object's text with the
line that each value comes from. Must not: compile anything, because the draft has all origins.
"""
