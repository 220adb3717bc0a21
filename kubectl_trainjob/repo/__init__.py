"""A user's repository: its root, its files, and the objects in them.

In: paths from the command line. Out: `Documents`. Must not: open a file other than through `SecureRoot`, follow a
link inside a repository, or judge what an object says beyond its type and name.
"""
