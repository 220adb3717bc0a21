"""A tuned job to its trials, or to an Experiment of Katib."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kubectl_trainjob.frontends.interface import ConversionContext
from kubectl_trainjob.frontends.objects import Writer, draft_object
from kubectl_trainjob.frontends.tuning import katib
from kubectl_trainjob.frontends.tuning.config import BAYES
from kubectl_trainjob.frontends.tuning.trials import TunedJob, assignments, check_variables, trial_writers
from kubectl_trainjob.kube.facts import jobset, trainer
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.rules import NAME_INVALID, TRIALS_NEED_TRAINER, TUNING_KATIB, Severity
from kubectl_trainjob.model.stages import Conversion, Manifest


def convert_tuned(subject: TunedJob, context: ConversionContext) -> Conversion:
    """The objects of a sweep, with its own runtime if it has one."""
    found = list(check_variables(subject))
    if subject.tuning.method == BAYES:
        found += katib.check_katib(subject)
        return Conversion(findings=tuple(found)) if found else _Experiment(subject, context).convert()
    trials, notes = assignments(subject.tuning)
    found += notes
    if has_errors(found):
        return Conversion(findings=tuple(found))
    objects = [_object(subject, write) for write in trial_writers(subject, trials)]
    return Conversion((*_runtime(subject, subject.name), *objects), tuple(found))


def _object(subject: TunedJob, write: Writer) -> Manifest:
    return draft_object(subject.job, write, subject.sources, subject.step)


def _runtime(subject: TunedJob, name: str) -> tuple[Manifest, ...]:
    return (_object(subject, partial(subject.own_runtime, name=name)),) if subject.own_runtime else ()


def _as_warning(finding: Diagnostic) -> Diagnostic:
    return replace(finding, lowered=Severity.WARNING)


class _Experiment:
    def __init__(self, subject: TunedJob, context: ConversionContext) -> None:
        self._subject = subject
        self._context = context
        self._uses_jobsets = subject.tuning.settings.trial == "jobset"

    def convert(self) -> Conversion:
        subject = self._subject
        if not self._uses_jobsets:
            return self._named_trial(katib.Trial(trainer.TRAIN_JOB, katib.primary_of(subject.runtime)))
        if katib.is_jobset_excluded(subject.runtime):
            return self._needs_trainer()
        name = subject.name + katib.TRIAL
        expanded = self._sample(name)
        if has_errors(expanded.findings):  # the name may be too long, but Katib uses a short one
            name = f"x{katib.TRIAL}"
            expanded = self._sample(name)
        if has_errors(expanded.findings):
            return Conversion(findings=expanded.findings)
        if len(expanded.objects) != 1:
            return self._needs_trainer()
        body, names_itself = katib.jobset_template(expanded.objects[0].body, name, subject.name)
        return self._named_trial(katib.Trial(jobset.KIND, katib.primary_of(subject.runtime), body, names_itself))

    def _named_trial(self, trial: katib.Trial) -> Conversion:
        subject = self._subject
        name = katib.experiment_name(subject, trial)
        runtime = () if self._uses_jobsets else _runtime(subject, name)
        findings = self._sample(name + katib.TRIAL, name).findings
        if self._uses_jobsets:  # expanded already; what only the length of Katib's names causes does not stop a build
            findings = tuple(each if each.rule is NAME_INVALID else _as_warning(each) for each in findings)
        if has_errors(findings):
            return Conversion(findings=findings)
        experiment = _object(subject, partial(katib.write_experiment, subject=subject, trial=trial, name=name))
        notes = (self._note(),) if runtime else ()
        return Conversion((*runtime, experiment), (*findings, *notes), tuple(each.source for each in runtime))

    def _sample(self, name: str, runtime: str = "") -> Conversion:
        """A trial of this name, expanded."""
        subject = self._subject
        shared = runtime or subject.name
        own = _runtime(subject, shared)
        write = partial(katib.write_sample, subject=subject, name=name, runtime=shared if own else "")
        return self._context.compile(_object(subject, write), own)

    def _needs_trainer(self) -> Conversion:
        message = say(
            "Trainer creates more than the JobSet for each of these trials (a gang, or MPI); "
            "set tuning.trial: trainjob in trainjob.yaml, or use another runtime"
        )
        place = self._subject.tuning.block.place.child("method")
        return Conversion(findings=(Diagnostic(TUNING_KATIB, message, place),))

    def _note(self) -> Diagnostic:
        message = say("Katib creates TrainJobs, which need Trainer in the cluster; tuning.trial: jobset does not")
        return Diagnostic(TRIALS_NEED_TRAINER, message, self._subject.tuning.block.place.child("method"))
