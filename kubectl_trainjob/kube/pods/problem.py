"""What kube-apiserver will refuse of a Job, told at the JobSet that it is made from."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_trainjob.kube.schemas.problem import Problem
from kubectl_trainjob.model.source import Pointer


@dataclass(frozen=True, slots=True)
class LateProblem(Problem):
    """`pointer` is the field that kube-apiserver names, `shown` what a person should be shown of it.

    They differ where it names a whole mapping or list though one entry is meant, or a field that is not there.
    """

    shown: Pointer = ()

    @property
    def place(self) -> Pointer:
        """Where a person should look: `shown`, or the field itself."""
        return self.shown or self.pointer
