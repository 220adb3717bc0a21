"""KTJ405: The first process of a training waits for the others at `<TrainJob>-node-0-0.<TrainJob>`: Trainer uses the
JobSet's name as the name of its headless Service."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_trainjob.lint.check import Hit
from kubectl_trainjob.lint.launches import rendezvous_setting
from kubectl_trainjob.lint.views import LintedRuntime
from kubectl_trainjob.model.diagnostic import Edit, Fix
from kubectl_trainjob.model.message import say
from kubectl_trainjob.model.source import value_at

_BELOW = '{} names a Pod below "{}", but the Pods are below "{}"; remove the subdomain'


def find(runtime: LintedRuntime) -> Iterator[Hit]:
    """Runtimes with another subdomain whose processes use this address."""
    network = value_at(runtime.spec, ("template", "spec", "network")) or {}
    subdomain = network.get("subdomain")
    if not subdomain or network.get("enableDNSHostnames") is False:
        return
    setting = rendezvous_setting(runtime)
    # A runtime may be made for the one TrainJob of this name.
    if setting is not None and subdomain not in runtime.context.job_names:
        place = runtime.place("spec", "template", "spec", "network", "subdomain")
        fix = Fix(say("remove the subdomain"), (Edit(place),), is_safe=False)
        yield Hit(say(_BELOW, setting, "<TrainJob>", subdomain), place, fix=fix)
