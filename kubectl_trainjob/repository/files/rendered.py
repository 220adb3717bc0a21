"""The templates among an overlay's resources, as the files that they give with the overlay's values."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kubectl_trainjob.model.diagnostic import Diagnostic
from kubectl_trainjob.model.limits import Limits
from kubectl_trainjob.model.rules import TEMPLATE_LIMIT
from kubectl_trainjob.model.source import Source, SourceFile
from kubectl_trainjob.repository.files.overlay_file import OverlayFile
from kubectl_trainjob.repository.positions import rendered_with

if TYPE_CHECKING:
    from kubectl_trainjob.repository.templates.render import Renderer

_MOST_EXHAUSTING = 5  # templates that used up a limit; each may take seconds, and the build fails anyway


class Rendering:
    """Renders the templates of one reading, within its limits, and notes their problems in `diagnostics`."""

    def __init__(self, renderer: Callable[[], Renderer], limits: Limits, diagnostics: list[Diagnostic]) -> None:
        self._renderer = renderer
        self._limits = limits
        self._diagnostics = diagnostics
        self._sent = 0
        self._exhausting = 0

    def rendered(self, template: SourceFile, overlay: OverlayFile, directory: str) -> SourceFile | None:
        """The file that a template gives for the overlay in `directory` (a real path); None where that fails."""
        if self._exhausting >= _MOST_EXHAUSTING:
            return None
        rendered = self._render(template, _context(overlay, directory))
        if isinstance(rendered, SourceFile):
            return _with_values(rendered, overlay.source)
        self._diagnostics.append(replace(rendered, related=(rendered_with(overlay.source),)))
        self._exhausting += rendered.rule == TEMPLATE_LIMIT
        return None

    def _render(self, template: SourceFile, context: dict[str, Any]) -> SourceFile | Diagnostic:
        from kubectl_trainjob.repository.templates.answer import too_much
        from kubectl_trainjob.repository.templates.render import encode_context

        encoded = encode_context(context)
        self._sent += len(encoded)
        if self._sent > self._limits.build_bytes:
            return too_much(template, self._limits)
        return self._renderer().render(template, encoded, self._limits)


def _context(overlay: OverlayFile, directory: str) -> dict[str, Any]:
    """What a template may use."""
    facts = {"name": os.path.basename(directory), "namespace": overlay.namespace, "nameSuffix": overlay.name_suffix}
    return {"values": overlay.values, "overlay": facts}


def _with_values(rendered: SourceFile, values: Source) -> SourceFile:
    """The rendered text, which knows the overlay that gave the values."""
    return replace(rendered, written=replace(rendered.written, values=values)) if rendered.written else rendered
