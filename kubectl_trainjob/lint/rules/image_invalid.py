"""KTJ910: The kubelet parses the image of each container, and starts none with an invalid reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.image import image_error
from kubectl_trainjob.lint.containers import ContainerProblem
from kubectl_trainjob.model.message import say


def find(container: Mapping[str, Any]) -> Iterator[ContainerProblem]:
    """Images whose reference is invalid; one with blanks around it is rejected earlier."""
    image = container.get("image")
    if image and isinstance(image, str) and image == image.strip() and (error := image_error(image)):
        yield ContainerProblem(("image",), image, say('"{}" {}', image, error))
