"""How the API server's structural schemas check an object.

In: a mapping and the kind's schema, packaged from the released CRDs. Out: the mapping with the CRD's defaults (the same
object when nothing changed) and `Problem` values that point into it. Must not: know files, webhooks or controllers.
"""
