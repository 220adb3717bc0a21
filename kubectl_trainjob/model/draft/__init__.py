"""The only way to write into an object under construction.

In: plain data (dicts, lists, scalars). Out: new plain data that shares every unchanged part and, on request, the origin
of each value. Must not: know the meaning of the data.
"""

from kubectl_trainjob.model.draft.draft import Draft
from kubectl_trainjob.model.draft.origin import INPUT, Cause, DraftSnapshot, Entry, Write, computed, copied, fixed

__all__ = ["INPUT", "Cause", "Draft", "DraftSnapshot", "Entry", "Write", "computed", "copied", "fixed"]
