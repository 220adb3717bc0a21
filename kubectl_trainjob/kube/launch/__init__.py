"""Which launcher starts the processes of a TrainJob, how many, and their rendezvous address.

In: the runtime's mlPolicy and the generated objects, as plain data. Out: a `Launch`, whose settings are pointers into
these objects. Must not: trace origins, or say why a user or Trainer chose a number.
"""
