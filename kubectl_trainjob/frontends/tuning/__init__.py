"""Search spaces to trials: grid and random as TrainJobs, bayes as an Experiment of Katib; for every front end.

In: a job that can write its TrainJob, and the block with its search space. Out: the trials, their index and runtime.
Must not: know where the job comes from.
"""
