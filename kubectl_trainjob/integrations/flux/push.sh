#!/bin/sh
# Builds an overlay and pushes the result as an OCI artifact, for CI. Equal results have equal layers. Flux applies
# the artifact (`integrations flux kustomization`), and Argo CD can read it, too (an oci:// source).
#
#   flux-push OVERLAY oci://REGISTRY/REPOSITORY[:TAG]     such as overlays/prod oci://ghcr.io/acme/training-prod:latest
#
# FLUX_PUSH_FLAGS has more options of `flux push artifact`.
set -eu
overlay=${1:?the directory of an overlay, such as overlays/prod} target=${2:?the address of the artifact, oci://...}
commit=$(git rev-parse HEAD)
branch=$(git branch --show-current) # empty if CI checked out a commit
origin=$(git config --get remote.origin.url | sed 's,^\([a-z]*://\)[^/]*@,\1,') # without a password or token
umask 022 # the artifact has the modes of files
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

kubectl-trainjob build --strict "$overlay" -O "$output"
flux push artifact "$target" --path "$output" --reproducible ${FLUX_PUSH_FLAGS-} \
  --source "${origin:-local}" --revision "${branch:+$branch@}sha1:$commit"
