"""The loop in a cluster: applies what each TrainingSet says, again and again.

In: TrainingSets, sources and a clock. Out: objects in the cluster, and the status of the TrainingSets. Must not: have
its own compilation or its own apply.
"""
