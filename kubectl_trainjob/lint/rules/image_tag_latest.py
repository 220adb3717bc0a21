"""KTJ901: A reference without a tag means `latest`, and `latest` is another image from one day to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.image import image_error, image_reference
from kubectl_trainjob.lint.containers import ContainerProblem
from kubectl_trainjob.model.message import say


def find(container: Mapping[str, Any]) -> Iterator[ContainerProblem]:
    """Valid images without a tag or digest, or with the tag `latest`."""
    image = container.get("image")
    if not image or not isinstance(image, str) or image_error(image):
        return
    _, tag, digest = image_reference(image)
    if not digest and tag in ("", "latest"):
        error = say("can be another image tomorrow") if tag else say("has no tag, which means latest")
        message = say('"{}" {}; write a tag that is never moved, or a digest', image, error)
        yield ContainerProblem(("image",), image, message)
