"""A real Kubernetes control plane on loopback: which components go in, an API client and a kubeconfig come out.

Starts released programs and nothing else: no containers, no kubelet, no address but 127.0.0.1. What it started ends
with the run, however that ends (keeper.py).
"""
