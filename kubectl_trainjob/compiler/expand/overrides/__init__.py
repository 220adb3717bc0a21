"""The overrides: one module for each field of TrainJobs that changes the runtime's template.

In: the runtime's JobSet as a draft, and the TrainJob. Out: the draft with the TrainJob's changes merged. Must not:
judge them; the passes do.
"""
