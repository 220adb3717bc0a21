"""Argo CD and Flux: files for their users to commit, and what Argo CD needs otherwise in generated objects.

In: the name of a file, or an object. Out: the packaged file for this version, or the changed object. Must not: read a
repository, or talk to a cluster.
"""
