"""The Jobs of a JobSet, as kube-apiserver checks them when the JobSet controller creates them.

In: a JobSet as Trainer creates it. Out: problems with pointers into it. Must not: check the JobSet itself.
"""
