"""What a user can do about an object that is not applied: with an option of `apply`, or in a TrainingSet."""

from __future__ import annotations

from kubectl_trainjob.cluster import marks

ADVICE = {
    "MayHaveRun": ("an earlier apply was interrupted, and this run may have started; use {} to start it", "--rerun"),
    "TrainJobExists": ("the JobSet of an existing TrainJob has this name; rename this one, or delete the TrainJob", ""),
    "JobSetExists": ("an existing JobSet has the name of this TrainJob; rename the TrainJob, or delete the JobSet", ""),
    "NotOurs": ("the object exists and belongs to no set; use {} to take it over", "--adopt"),
    "OtherSet": ("the object belongs to another set; use {} to move that set's objects here", "--adopt-from"),
    "Running": ("a new run is needed, and it must wait for the end of this one", ""),
    "Frozen": ("a live run cannot change these fields; use {}, or give it a new name", "--recreate"),
    "TooMany": ("use {} if this is intended", "--prune-many"),
}
"""By reason: what to say, and the option that it names."""
_OF_TRAINING_SET = {
    "--recreate": "spec.recreate",
    "--adopt-from": f"annotation {marks.ADOPT_FROM} of the TrainingSet",
    "--rerun": "kubectl trainjob apply --applyset trainingset/{} --rerun JOB",
    "--adopt": "kubectl trainjob apply --applyset trainingset/{} --adopt",
    "--prune-many": "kubectl trainjob apply --applyset trainingset/{} --prune --prune-many",
}
"""The field that has the effect of an option, or the command line for the set: a loop does not decide these itself."""


def advice(reason: str, training_set: str) -> str:
    """What to say about a reason; `training_set` is the name of that of the loop, "" for the command line."""
    text, option = ADVICE[reason]
    return text.format(_OF_TRAINING_SET[option].format(training_set) if training_set and option else option)
