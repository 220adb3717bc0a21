"""kubectl-trainjob: compile training runtimes and TrainJobs, offline, into what the controllers would create."""

__version__ = "0.1.0"
