"""`lint --fix`: mends files, or shows how they would be mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubectl_trainjob.cli.streams import complain, emit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubectl_trainjob.lint.fix.fixes import Fixing
    from kubectl_trainjob.model.diagnostic import Diagnostic
    from kubectl_trainjob.repository.files.filesystem import FileSystem

_MOST_TOLD = 20


def mend(fixable: Sequence[Diagnostic], disk: FileSystem, *, with_unsafe: bool, only_show: bool) -> bool:
    """Mend what has a fix, or print the changes; whether any file was written.

    Raises EnvironmentFault for a file that cannot be written.
    """
    from kubectl_trainjob.lint.fix.fixes import fix

    fixing = fix(fixable, with_unsafe=with_unsafe)
    _tell_refused(fixing)
    if only_show:
        if not fixing.files:
            complain("note: there is nothing to mend")
        _show(fixing)
        return False
    if fixing.files:
        from kubectl_trainjob.repository.output.changed_files import write

        write(fixing.files, disk)
    complain(f"note: {_counted(fixing)}")
    return bool(fixing.files)


def _counted(fixing: Fixing) -> str:
    """How much was mended; a runtime's finding counts once for all TrainJobs that have it."""
    if not fixing.files:
        return "there is nothing to mend"
    count = len({(each.rule.id, each.message) for each in fixing.fixed})
    findings = "1 finding" if count == 1 else f"{count} findings"
    files = "1 file" if len(fixing.files) == 1 else f"{len(fixing.files)} files"
    return f"{findings} mended in {files}"


def _show(fixing: Fixing) -> None:
    from kubectl_trainjob.lint.fix.shown import diff_lines

    emit(f"{line}\n".encode("utf-8", "backslashreplace") for line in diff_lines(fixing.files))


def _tell_refused(fixing: Fixing) -> None:
    from kubectl_trainjob.repository.positions import Locator

    locator = Locator()
    for each in fixing.refused[:_MOST_TOLD]:
        spot = locator.settle(each.diagnostic.place)
        rule = each.diagnostic.rule
        complain(f"note: {spot.file.path}:{spot.span.line}: {rule.id} {rule.name} is not mended: {each.reason}")
    if len(fixing.refused) > _MOST_TOLD:
        complain(f"note: {len(fixing.refused) - _MOST_TOLD} more are not mended")
