"""The marks of sweeps: which trials belong together, and the parameters of each."""

from __future__ import annotations

SWEEP_LABEL = "kubectl-trainjob.dev/sweep"
PARAMETERS_ANNOTATION = "kubectl-trainjob.dev/parameters"
METRIC_ANNOTATION = "kubectl-trainjob.dev/metric"
GOAL_ANNOTATION = "kubectl-trainjob.dev/goal"
SEED_ANNOTATION = "kubectl-trainjob.dev/tuning-seed"
TRIALS_SUFFIX = "-trials"
ENV_PREFIX = "KUBEFLOW_TRAINER_OPT_"
"""Upstream's names for the parameters of an OptimizationJob."""
