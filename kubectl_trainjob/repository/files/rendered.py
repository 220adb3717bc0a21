"""The templates among an overlay's resources, as the files that its values make of them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.rules.templates import TEMPLATE_LIMIT
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.repository.files.overlay_file import OverlayFile
from kubectl_trainjob.repository.positions import rendered_with

if TYPE_CHECKING:
    from kubectl_trainjob.repository.templates.render import Renderer

_MOST_EXHAUSTING = 5  # templates that used up a limit; each may take seconds, and the build fails anyway


class Rendering:
    """Renders the templates of one build; what is wrong with them is noted in `diagnostics`."""

    def __init__(self, limits: Limits, diagnostics: list[Diagnostic]) -> None:
        self._limits = limits
        self._diagnostics = diagnostics
        self._renderer: Renderer | None = None
        self._exhausting = 0

    def close(self) -> None:
        """End what renders."""
        if self._renderer is not None:
            self._renderer.close()

    def rendered(self, template: SourceFile, overlay: OverlayFile, directory: str) -> SourceFile | None:
        """What the overlay in `directory` (a real path) makes of a template; None where that fails."""
        if self._exhausting >= _MOST_EXHAUSTING:
            return None
        if self._renderer is None:
            from kubectl_trainjob.repository.templates.render import Renderer  # most builds have no template

            self._renderer = Renderer(self._limits)
        made = self._renderer.render(template, _context(overlay, directory))
        if isinstance(made, SourceFile):
            return _with_values(made, overlay.source)
        self._diagnostics.append(replace(made, related=(rendered_with(overlay.source),)))
        self._exhausting += made.rule == TEMPLATE_LIMIT
        return None


def _context(overlay: OverlayFile, directory: str) -> dict[str, Any]:
    """What a template may know."""
    facts = {"name": os.path.basename(directory), "namespace": overlay.namespace, "nameSuffix": overlay.name_suffix}
    return {"values": overlay.values, "overlay": facts}


def _with_values(made: SourceFile, values: Source) -> SourceFile:
    """The rendered text, which knows the overlay that gave the values."""
    return replace(made, written=replace(made.written, values=values)) if made.written else made
