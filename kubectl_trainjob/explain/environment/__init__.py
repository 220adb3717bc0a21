"""What the processes of a TrainJob will see: environment, command lines, numbers, names, required objects.

In: a `TracedJob`, and which other objects the inputs have. Out: an `Environment`, immutable values whose places are
lines of the user's files. Must not: read files, resolve references to Secrets and ConfigMaps, print.
"""
