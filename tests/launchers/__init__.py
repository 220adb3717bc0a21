"""Real launchers start what `env` says: torchrun, accelerate, deepspeed, mpirun of Open MPI 4 and 5, MPICH, Intel MPI.

The generated Pods run as local processes. Names of Pods become loopback addresses for torchrun. For mpirun, a shell
stands in for ssh, so each name of the hostfile is this machine. The DNS search path of the nodes is not exercised.
"""
