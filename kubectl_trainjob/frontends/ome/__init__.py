"""OME TrainingJobs, in the dialect of OME's documentation, to a TrainingRuntime and TrainJobs.

In: a TrainingJob with its runtime, model and settings. Out: its TrainingRuntime and TrainJob, or their trials
(`tuning`), and the volumes of its model. Must not: know how TrainJobs are expanded.
"""
