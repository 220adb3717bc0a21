"""KTJ405: The first process of a training waits for the others at `<TrainJob>-node-0-0.<TrainJob>`: Trainer takes the
JobSet's name for the name of its headless Service."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import RuntimeCheck
from kubectl_trainjob.lint.hit import Hit
from kubectl_trainjob.lint.launches import rendezvous_setting
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.rules import CUSTOM_SUBDOMAIN
from kubectl_trainjob.model.source import value_at


def _find(runtime: LintedRuntime) -> Iterator[Hit]:
    network = value_at(runtime.spec, ("template", "spec", "network")) or {}
    subdomain = network.get("subdomain")
    if not subdomain or network.get("enableDNSHostnames") is False:
        return
    setting = rendezvous_setting(runtime)
    # A runtime may be made for the one TrainJob of this name.
    if setting is not None and all(job.id.name != subdomain for job in runtime.around.train_jobs):
        place = runtime.place("spec", "template", "spec", "network", "subdomain")
        message = (
            f'{setting} names a Pod below "<TrainJob>", but Pods are found below "{subdomain}"; remove the subdomain'
        )
        yield Hit(message, place, fix=Fix("remove the subdomain", (Edit(place),), is_safe=False))


CHECK = RuntimeCheck(CUSTOM_SUBDOMAIN, _find)
