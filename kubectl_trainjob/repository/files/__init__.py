"""The repository of a user: its root, its files, and the objects in them.

In: paths from the command line. Out: `Documents`. Must not: open files except by `root` (`SecureRoot`; `read_start` in
the search of a root), follow a link inside a repository, or check an object beyond its type and name. `read` itself
opens a PATH that is not a regular file (a pipe). `repository` defines the forms of paths.
"""
