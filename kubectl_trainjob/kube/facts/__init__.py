"""What Kubernetes' own types know: quantities, the Go structs behind the manifests, effective requests, devices; and
what launchers' command lines say.

In: plain values and the names of Go types. Out: the values as Kubernetes would hold and write them. Must not: read
files of the user's, know about runtimes or TrainJobs, or report findings.
"""
