"""What kube-apiserver will say to the Jobs of a JobSet, which JobSet's admission does not look at.

In: a JobSet as Trainer makes it. Out: problems with pointers into it. Must not: judge the JobSet itself.
"""
