"""What the API server, Trainer's webhooks and JobSet's webhooks say of an object that is created.

In: one object as written, or one JobSet as expanded. Out: the object with its defaults, and what is refused. Must not:
look at other objects, or change what is printed except for the defaults that are always rendered.
"""
