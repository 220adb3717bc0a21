"""What Kubernetes, JobSet and Trainer define and accept, restated with the source of each statement.

In: plain data. Out: facts, defaults and problems. Must not: know files, overlays or our commands.
"""
