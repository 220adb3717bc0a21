"""The lines that the values of a TrainJob's objects come from, found after the expansion."""

from __future__ import annotations

from kubectl_trainjob.compiler.expand.behaviour import Behaviour
from kubectl_trainjob.compiler.expand.run import RuntimeTemplate, expand
from kubectl_trainjob.kube.admission.jobset_defaults import render_create_defaults
from kubectl_trainjob.model.draft import Draft
from kubectl_trainjob.model.source import Place, Pointer, value_at, values
from kubectl_trainjob.model.stages import Body, ResolvedJob


class ValuePlaces:
    """Finds the lines for one TrainJob that can be built. If necessary, it expands the TrainJob again, with a recorder.

    The expansion copies a value as the same object in memory. Therefore its place is known without that.
    """

    def __init__(self, resolved: ResolvedJob, template: RuntimeTemplate, behaviour: Behaviour, jobset: Body) -> None:
        self._resolved = resolved
        self._template = template
        self._behaviour = behaviour
        self._jobset = jobset
        self._drafts: tuple[Draft, ...] = ()
        self._of_job: dict[int, Pointer] = {}

    def __call__(self, nth: int, pointer: Pointer) -> Place | None:
        """The line to edit to change a value of object `nth`, 0 for the JobSet; None if it is in no file."""
        if nth == 0 and (place := self.copied_place(pointer)):
            return place
        if not self._drafts:
            self._drafts = recorded(self._resolved, self._template, self._behaviour)
        return self._drafts[nth].place(pointer)

    def copied_place(self, pointer: Pointer) -> Place | None:
        """The place of a value that the expansion only copied into the JobSet; None for other values."""
        if len(pointer) < 3 or value_at(self._jobset, pointer) is None:
            return None
        holder = value_at(self._jobset, pointer[:-1])
        if id(holder) in self._template.canonical_ids:
            is_own = holder is value_at(self._template.spec, pointer[1:-1])
            return self._resolved.runtime.manifest.place("spec", "template", *pointer) if is_own else None
        if not self._of_job:
            trainer = values(self._resolved.job.body["spec"].get("trainer"), ("spec", "trainer"))
            self._of_job = {id(each): pointer for pointer, each in trainer if isinstance(each, (dict, list))}
        at = self._of_job.get(id(holder))
        return self._resolved.job.manifest.place(*at, pointer[-1]) if at else None


def recorded(resolved: ResolvedJob, template: RuntimeTemplate, behaviour: Behaviour) -> tuple[Draft, ...]:
    """The objects of a TrainJob that can be built, which know the origin of each value."""
    (jobset, *others), _ = expand(resolved, template, behaviour, record=True)
    return render_create_defaults(jobset), *others
