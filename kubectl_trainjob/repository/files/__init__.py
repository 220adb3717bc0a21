"""A user's repository: its root, its files, and the objects in them.

In: paths from the command line. Out: `Documents`. Must not: open what lies in a repository other than by the functions
of `root` (`SecureRoot`; `read_start` for the search of a root), follow a link inside a repository, or judge what an
object says beyond its type and name. What a person names that is no regular file (a pipe) `read` opens itself. What
"real", "inside" and "shown" mean for paths stands in `repository`.

The files are those on disk, or those of a commit (`filesystem`): `commits` finds one, `revision` stands for its files,
`tree` and `objects` read them from git's own objects, and `git` runs git so that it starts nothing of a repository.
"""
