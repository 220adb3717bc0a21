"""The command line: one module a subcommand, and how results and diagnostics are written.

In: arguments, standard input. Out: the result on stdout, everything else on stderr, an exit code.
Must not: decide anything about training jobs. A command calls the stages through `pipeline` and renders what they
return; whatever costs start-up time is imported inside the function that needs it.
"""
