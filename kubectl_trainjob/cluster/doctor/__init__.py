"""What is not in order in a cluster, before something is applied to it.

In: an `Api`, and what the files want (`Requirements`). Out: a `DoctorReport`. `facts` reads, and `checks` decides.
Must not: change the cluster, or print.
"""
