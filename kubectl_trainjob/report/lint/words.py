"""The sentences about a whole report: how many findings, in how much, what is not told, what could not be judged."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_trainjob.model.finding import LintReport, Unverifiable
from kubectl_trainjob.model.rules import Severity
from kubectl_trainjob.report.grouped import counted
from kubectl_trainjob.report.sentence import Data, Sentence, in_short, plural

_LONGEST = 1000  # characters of a cause


def headline(report: LintReport, severities: Iterable[Severity]) -> str:
    """`3 errors, 1 warning in 12 TrainJobs`, `no problems in 1 TrainJob`."""
    what = counted(severities) or ("no new problems" if report.baselined or report.before else "no problems")
    return f"{what} in {plural(report.train_jobs, 'TrainJob')}"


def closing(report: LintReport, severities: Iterable[Severity]) -> str:
    """The headline, and in brackets what is not told."""
    aside = set_aside(report)
    return headline(report, severities) + (f" ({aside})" if aside else "")


def set_aside(report: LintReport) -> str:
    """`2 suppressed, 5 in the baseline, 7 there before`; "" where everything is told."""
    counts = (
        (report.suppressed, "suppressed"),
        (report.baselined, "in the baseline"),
        (report.before, "there before"),
    )
    return ", ".join(f"{count} {words}" for count, words in counts if count)


def not_judged(each: Unverifiable) -> Sentence:
    """`not judged: no file says whether the queue exists (KTJ611)`."""
    rules = (" (", Data(", ".join(each.rules)), ")") if each.rules else ()
    return "not judged: ", Data(in_short(each.cause, _LONGEST)), *rules
