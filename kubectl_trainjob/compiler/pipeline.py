"""The order of the stages: read → overlay → check → admit → resolve → expand → admit what was made. Start reading here.

Neither `build` nor `trace` raises for what stands in a user's files: every problem is a `Diagnostic`, and one broken
object does not hide another's problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kubectl_trainjob.compiler.job import trace_job, traced
from kubectl_trainjob.compiler.parallel import Made, Means, compiled
from kubectl_trainjob.compiler.prepare import Prepared, Wanted, prepare
from kubectl_trainjob.compiler.resolve.objects import collisions
from kubectl_trainjob.kube.facts.kinds import print_order
from kubectl_trainjob.model.diagnostic import Diagnostic, has_errors
from kubectl_trainjob.model.rules.references import RUNTIME_NOT_FOUND
from kubectl_trainjob.model.stages import Build, BuildOptions, Claim, ObjectId, Output, RequiredSecret, Tracing
from kubectl_trainjob.model.units import Documents


def build(documents: Documents, options: BuildOptions, means: Means | None = None) -> Build:
    """All that the inputs become, in the order in which it is printed, and all that is wrong with them.

    An output holds its body, or the text that `means.finish` made of it in another process.
    """
    prepared = prepare(documents, options)
    del documents  # from here on each parsed TrainJob goes when it has been compiled
    return _result(prepared, compiled(prepared, means or Means()), options)


def trace(documents: Documents, options: BuildOptions, wanted: Wanted) -> Tracing:
    """The same way for the inputs that are wanted, with a recorder: who wrote each value of what they become."""
    prepared = prepare(documents, options, wanted)
    jobs = [trace_job(*job, prepared.target, prepared.admitted) for job in prepared.jobs if wanted(job.manifest)]
    return Tracing(
        trainer=prepared.trainer,
        jobs=tuple(jobs),
        others=tuple(map(traced, prepared.kept)),
        diagnostics=tuple(dict.fromkeys(prepared.diagnostics)),
        left_out=prepared.left_out,
    )


def _result(prepared: Prepared, compiled: Iterable[Made], options: BuildOptions) -> Build:
    claims, secrets, diagnostics = list(_distinct(prepared.plain)), list[RequiredSecret](), prepared.diagnostics
    late = list[Diagnostic]()
    for made in compiled:
        claims += made.claims
        secrets += made.secrets
        diagnostics += made.diagnostics
        late += made.late
    if options.is_strict:
        diagnostics += late
    if not has_errors(diagnostics):
        diagnostics += collisions(claims)
    if any(finding.rule == RUNTIME_NOT_FOUND for finding in diagnostics):
        diagnostics += prepared.unread  # the runtime may stand in a document that could not be read
    return Build(
        outputs=tuple(sorted((claim.output for claim in claims if claim.is_printed), key=_print_key)),
        secrets=tuple(secrets),
        diagnostics=tuple(dict.fromkeys(diagnostics)),  # a runtime's findings come with each of its jobs
        late=tuple(late),
        ignored=prepared.ignored,
        left_out=prepared.left_out,
        passed_by=prepared.passed_by,
        read_from=prepared.read_from,
        limits=prepared.limits,
    )


def _distinct(claims: list[Claim]) -> Iterator[Claim]:
    """Each object once: two overlays may lie over the same ConfigMap."""
    first: dict[ObjectId, Claim] = {}
    for claim in claims:
        earlier = first.setdefault(claim.output.identity, claim)
        if earlier is claim or earlier.output.content != claim.output.content:
            yield claim


def _print_key(output: Output) -> tuple[Any, ...]:
    identity = output.identity
    return print_order(identity.kind), identity.kind, identity.api_version, identity.namespace, identity.name
