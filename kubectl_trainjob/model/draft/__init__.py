"""The one way to write into an object that is being made.

In: plain data (dicts, lists, scalars). Out: new plain data that shares every untouched part, and, when asked, who
wrote each value and from which line. Must not: know what the data means.
"""

from kubectl_trainjob.model.draft.draft import Draft
from kubectl_trainjob.model.draft.origin import INPUT, Cause, Drafted
from kubectl_trainjob.model.draft.writes import Entry, Write, computed, copied, fixed

__all__ = ["INPUT", "Cause", "Draft", "Drafted", "Entry", "Write", "computed", "copied", "fixed"]
