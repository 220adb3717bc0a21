# kubectl-trainjob on a slim Python, with git: `diff` and `review` read commits with it. The commands for clusters work,
# too: it is the image of the controller.
#
#   docker build -t kubectl-trainjob .
#   docker run --rm --read-only --network none -v "$PWD:/repo:ro" kubectl-trainjob build overlays/vision/prod
#
# It runs as any user, with a read-only root and without /tmp, and only writes the output of a command.
# As a sidecar of Argo CD's repo-server it needs no change: user 999, and the command is the mounted
# /var/run/argocd/argocd-cmp-server (ENTRYPOINT is replaced by the Pod's `command`).
#
# One commit, one base and one state of Debian's archive give the same image, byte by byte:
#   buildah build --timestamp "$(git log -1 --format=%ct)" .
#   SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" docker buildx build --output type=oci,dest=FILE,rewrite-timestamp=true .

# The index of all platforms. Renew the digest with the tag.
ARG PYTHON_IMAGE=docker.io/library/python:3.13.15-slim-trixie@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

FROM ${PYTHON_IMAGE} AS build
ENV LC_ALL=C.UTF-8 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PYTHONDONTWRITEBYTECODE=1

# Only git, without the Perl and the libraries for fetching that its package requires. Nothing is fetched, and all git
# commands in use (rev-parse, cat-file, merge-base …) are in this one file. Image scanners read its entry of dpkg's list.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && mkdir -p /git/usr/bin /git/usr/share/doc/git /git/var/lib/dpkg/status.d \
    && cp /usr/bin/git /git/usr/bin/ \
    && cp /usr/share/doc/git/copyright /git/usr/share/doc/git/ \
    && dpkg-query --status git > /git/var/lib/dpkg/status.d/git

# Half of the package kubernetes is a client for asyncio, which is not in use. Some packages have tests.
WORKDIR /src
COPY .ci/requirements-build.lock .ci/requirements-image.lock .ci/
RUN python3 -m venv /build \
    && /build/bin/pip install --require-hashes -r .ci/requirements-build.lock \
    && python3 -m venv --without-pip /opt/kubectl-trainjob \
    && /build/bin/pip --python /opt/kubectl-trainjob/bin/python install --no-compile --only-binary :all: \
        --require-hashes -r .ci/requirements-image.lock \
    && rm -r /opt/kubectl-trainjob/lib/python3.*/site-packages/kubernetes/aio \
        /opt/kubectl-trainjob/lib/python3.*/site-packages/*/tests

COPY LICENSE README.md pyproject.toml ./
COPY kubectl_trainjob kubectl_trainjob
COPY overlays overlays
COPY runtimes runtimes
RUN /build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheel . \
    && /build/bin/pip --python /opt/kubectl-trainjob/bin/python install --no-compile --no-deps --no-index /wheel/*.whl

# A start takes a quarter of a second with byte code, and more than one second without it. The user of the image cannot
# write it, and the base does not contain that of Python. With unchecked-hash, it does not depend on times.
RUN PYTHONHASHSEED=0 PYTHONPYCACHEPREFIX=/opt/kubectl-trainjob/bytecode /opt/kubectl-trainjob/bin/python -m compileall -qq \
        --invalidation-mode unchecked-hash \
        -x '/(ensurepip|idlelib|lib2to3|pydoc_data|test|tests|tkinter|turtledemo|dist-packages|python3[.0-9]*/site-packages/pip)/' \
        "$(/opt/kubectl-trainjob/bin/python -c 'import os; print(os.path.dirname(os.__file__))')" \
        /opt/kubectl-trainjob/lib

FROM ${PYTHON_IMAGE}
LABEL org.opencontainers.image.title="kubectl-trainjob" \
      org.opencontainers.image.description="Compiles training runtimes and TrainJobs, offline" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /git/ /
COPY --from=build /opt/kubectl-trainjob /opt/kubectl-trainjob
ENV PATH=/opt/kubectl-trainjob/bin:$PATH \
    LC_ALL=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPYCACHEPREFIX=/opt/kubectl-trainjob/bytecode
WORKDIR /repo
# A number: Kubernetes can check that it is not root.
USER 999:999
ENTRYPOINT ["kubectl-trainjob"]
CMD ["--help"]
