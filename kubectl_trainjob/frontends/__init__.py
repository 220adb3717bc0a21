"""Converts other kinds to TrainJobs and runtimes, before any of them is expanded.

A front end is a function (`FrontEnd` of `interface`) in a separate package, and rows in `kube/facts/kinds`. In: one
object and what it may look up. Out: ordinary objects, which know the lines that they come from, and findings. Must not:
read files, expand anything, depend on another front end.
"""
