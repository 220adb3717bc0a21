"""How the API server, Trainer's webhooks and JobSet's webhooks admit an object that is created.

In: one object as written, or one JobSet as expanded. Out: the object with its defaults, and why it is rejected.
Must not: read other objects, or change what is printed except for the defaults that are always rendered.
"""
