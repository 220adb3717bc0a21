"""KTJ910: The kubelet parses the image of each container, and starts none with an invalid reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.image import image_error
from kubectl_trainjob.lint.containers import ContainerProblem
from kubectl_trainjob.model.message import say


def find(container: Mapping[str, Any]) -> Iterator[ContainerProblem]:
    """Images whose reference is invalid. The API server accepts blanks around it in a template, and in no Pod."""
    image = container.get("image")
    if image and isinstance(image, str) and (error := image_error(image)):
        yield ContainerProblem(("image",), image, say('"{}" {}', image, error))
