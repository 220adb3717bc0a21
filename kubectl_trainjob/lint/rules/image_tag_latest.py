"""
A reference without a tag means `latest`, and `latest` is another image from one day to the next. Nodes that pull it at
different times, or after a restart, run different code in one training, and nobody can tell later what a checkpoint was
made with. A tag that is never moved, or a digest, says which image it is.

Bad:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: plain
    spec:
      mlPolicy:
        numNodes: 1
      template:
        spec:
          replicatedJobs:
            - name: node
              template:
                metadata:
                  labels:
                    trainer.kubeflow.org/trainjob-ancestor-step: trainer
                spec:
                  template:
                    spec:
                      containers:
                        - name: node
                          image: ghcr.io/acme/train:latest # <- KTJ901
Good:
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: TrainJob
    metadata:
      name: mnist
    spec:
      runtimeRef:
        name: plain
    ---
    apiVersion: trainer.kubeflow.org/v1alpha1
    kind: ClusterTrainingRuntime
    metadata:
      name: plain
    spec:
      mlPolicy:
        numNodes: 1
      template:
        spec:
          replicatedJobs:
            - name: node
              template:
                metadata:
                  labels:
                    trainer.kubeflow.org/trainjob-ancestor-step: trainer
                spec:
                  template:
                    spec:
                      containers:
                        - name: node
                          image: ghcr.io/acme/train:1.4.2
Versions: 2.0-2.3.
See: https://kubernetes.io/docs/concepts/containers/images/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubectl_trainjob.kube.facts.image import image_reference
from kubectl_trainjob.lint.containers import Stated, container_checks
from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

RULE = Rule("KTJ901", "image-tag-latest", __doc__ or "", Severity.WARNING, RuleClass.POLICY)


def _look(container: Mapping[str, Any]) -> Iterator[Stated]:
    image = container.get("image")
    if not image or not isinstance(image, str):
        return
    _, tag, digest = image_reference(image)
    if not digest and tag in ("", "latest"):
        what = "is another image tomorrow" if tag else "has no tag, which means latest"
        message = f'"{image}" {what}; name a tag that is never moved, or a digest'
        yield Stated(("image",), image, message)


CHECK = container_checks(RULE, _look)
