#!/usr/bin/env bash
# Builds an overlay and pushes the result as an OCI artifact, for CI. Equal results have equal layers. Flux applies
# the artifact (`integrations flux kustomization`), and Argo CD can read it, too (an oci:// source).
#
#   flux-push OVERLAY oci://REGISTRY/REPOSITORY[:TAG]     such as overlays/prod oci://ghcr.io/acme/training-prod:latest
set -euo pipefail
overlay=${1:?the folder of an overlay, such as overlays/prod} target=${2:?the address of the artifact, oci://...}
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

kubectl-trainjob build --strict "$overlay" -O "$output"
flux push artifact "$target" --path "$output" --reproducible ${FLUX_PUSH_FLAGS-} \
  --source "$(git config --get remote.origin.url || echo local)" \
  --revision "$(git rev-parse --abbrev-ref HEAD)@sha1:$(git rev-parse HEAD)"
