"""Reads and changes a cluster: applies a compilation, and shows the state of its jobs.

In: a `Compilation`, and a connection. Out: values for reports. Must not: read files, print, or build another way than
`compiler` does. `apply` has the order of an apply in one screen: start reading there.
"""
