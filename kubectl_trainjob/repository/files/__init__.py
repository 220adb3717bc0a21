"""The repository of a user: its root, its files, and the objects in them.

In: paths from the command line. Out: `Documents`. Must not: follow a link inside a
repository, check an object beyond its type and name, or open files except by `root` (`SecureRoot`, and `read_start` in
the search of a root). `read` itself
opens a PATH that is not a regular file (a pipe). `repository` defines the forms of paths.
"""
