"""KTJ901: A reference without a tag means `latest`, and `latest` is another image from one day to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.image import image_reference
from kubectl_trainjob.lint.containers import Stated, container_checks
from kubectl_trainjob.model.rules import IMAGE_TAG_LATEST


def _look(container: Mapping[str, Any]) -> Iterator[Stated]:
    image = container.get("image")
    if not image or not isinstance(image, str):
        return
    _, tag, digest = image_reference(image)
    if not digest and tag in ("", "latest"):
        what = "is another image tomorrow" if tag else "has no tag, which means latest"
        message = f'"{image}" {what}; name a tag that is never moved, or a digest'
        yield Stated(("image",), image, message)


JOB_CHECK, RUNTIME_CHECK = container_checks(IMAGE_TAG_LATEST, _look)
