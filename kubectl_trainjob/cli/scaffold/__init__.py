"""A new repository, or one more piece of one: its texts, and how they get onto the disk.

In: names that a user chose, runtimes of the catalogue or of the repository. Out: `NewFile`s, and all of them written or
none. Must not: overwrite anything, follow a link out of the directory, or keep files that do not build.
"""
