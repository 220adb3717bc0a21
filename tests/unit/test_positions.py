"""Places in made text, and in edited objects, lead back to what a person wrote."""

from kubectl_trainjob.model.source import Origin, Place, Pointer, Source, SourceFile, Span, TextOrigin
from kubectl_trainjob.repository.positions import Locator

TEMPLATE = SourceFile("job.yaml.j2", "{% for n in nodes %}\nname: job\nnodes: {{ n }}\n{% endfor %}\n")
RENDERED = SourceFile("job.yaml.j2", "name: job\nnodes: 4\n", TextOrigin(TEMPLATE, (2, 3)))


def _settled(place: Place) -> tuple[str, Span]:
    found = Locator().resolve(place)
    return found.file.text, found.span


def test_span_of_what_could_not_be_read() -> None:
    place = Place(Source(SourceFile("a", "a: 1")), ("a",), span=Span(9, 9, 9, 9))
    assert _settled(place) == ("a: 1", Span(9, 9, 9, 9))


def test_line_that_the_template_copies() -> None:
    assert _settled(Place(Source(RENDERED), ("name",))) == (TEMPLATE.text, Span(2, 7, 2, 10))


def test_line_that_the_template_computes() -> None:
    location = Locator().resolve(Place(Source(RENDERED), ("nodes",)))
    assert (location.file, location.span) == (TEMPLATE, Span(3, 1, 3, 15))
    assert location.generated == (RENDERED, Span(2, 8, 2, 9), None)


def test_text_inside_another_file() -> None:
    overlay = SourceFile("overlay.yaml", "patches:\n- patch: |\n    spec:\n      numNodes: 4\n")
    patch = SourceFile("overlay.yaml", "spec:\n  numNodes: 4\n", TextOrigin(overlay, (3, 4), indent=4))
    assert _settled(Place(Source(patch), ("spec", "numNodes"))) == (overlay.text, Span(4, 17, 4, 18))


def test_span_that_is_known_already() -> None:
    assert _settled(Place(Source(RENDERED), span=Span(1, 7, 1, 10))) == (TEMPLATE.text, Span(2, 7, 2, 10))


def test_line_behind_the_end() -> None:
    assert _settled(Place(Source(RENDERED), span=Span(3, 1, 3, 1)))[1] == Span(3, 1, 3, 15)


class _Patched:
    """`spec.numNodes` was written by a patch, all else was there."""

    def __init__(self, patch: Source) -> None:
        self._patch = patch

    def origin(self, pointer: Pointer) -> Origin:
        return Origin("patch", Place(self._patch, pointer)) if pointer == ("spec", "numNodes") else Origin("nobody")


def test_edited_object() -> None:
    job = SourceFile("job.yaml", "spec:\n  numNodes: 1\n  image: a\n")
    patch = SourceFile("patch.yaml", "spec:\n  numNodes: 4\n")
    edited = Source(job, edits=_Patched(Source(patch)))
    assert _settled(Place(edited, ("spec", "numNodes"))) == (patch.text, Span(2, 13, 2, 14))
    assert _settled(Place(edited, ("spec", "image"))) == (job.text, Span(3, 10, 3, 11))
