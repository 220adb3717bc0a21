"""The command line: one module per command, and the output of results and findings.

In: arguments, standard input. Out: the result on stdout, everything else on stderr, an exit code.
Must not: decide anything about training jobs. A command calls the stages through `pipeline` and renders their results.
Imports that cost start-up time are inside the function that needs them.
"""
