"""PyTorchJob, MPIJob, TFJob, XGBoostJob, JAXJob and PaddleJob as TrainJobs with runtimes.

`operators` is the table of kinds, `admission` what the operators reject, `variables` what they add to containers.
`shapes` and `mpi` make the runtime and the TrainJob of a job (`convert`), and `sharing` lets jobs share runtimes. Each
process gets the same as from the operators, or a finding says what differs. What these do is in
kubeflow/training-operator 1.9.3 (`kubeflow.org/v1`) and kubeflow/mpi-operator 0.8.2 (`v2beta1`).

In: objects of the operators' kinds. Out: the objects instead of each, and findings. Must not: read files, expand
anything, depend on another front end.
"""
