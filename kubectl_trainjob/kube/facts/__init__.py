"""Facts about Kubernetes, JobSet and Trainer: kinds, names, quantities, Go structs, resources, forms of texts.

In: plain values and the names of Go types. Out: values as Kubernetes stores and prints them. Must not: read users'
files, know about runtimes or TrainJobs, or report findings.
"""
