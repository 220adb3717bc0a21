"""Images whose tag moves, and secrets that stand in the environment of containers."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from kubectl_trainjob.kube.facts.image import image_reference
from tests.unit.lint.marked import JOB, RUNTIME, documents_of, found, joined, lines, marked

DIGEST = "sha256:" + "0" * 64
TAG, ENV = "KTJ901", "KTJ904"


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        pytest.param("python", ("python", "", ""), id="name alone"),
        pytest.param("python:3.13", ("python", "3.13", ""), id="tag"),
        pytest.param("localhost:5000/a/b", ("localhost:5000/a/b", "", ""), id="registry's port is no tag"),
        pytest.param("localhost:5000/a/b:c", ("localhost:5000/a/b", "c", ""), id="port and tag"),
        pytest.param(f"ghcr.io/a@{DIGEST}", ("ghcr.io/a", "", DIGEST), id="digest"),
        pytest.param(f"r:1/a:latest@{DIGEST}", ("r:1/a", "latest", DIGEST), id="port, tag and digest"),
    ],
)
def test_parts_of_a_reference(image: str, parts: tuple[str, str, str]) -> None:
    assert image_reference(image) == parts


@pytest.mark.parametrize(
    ("image", "is_reported"),
    [
        pytest.param("python", True, id="no tag"),
        pytest.param("docker.io/library/python:latest", True, id="latest"),
        pytest.param("registry.example:5000/team/train", True, id="port, no tag"),
        pytest.param("registry.example:5000/team/train:latest", True, id="port and latest"),
        pytest.param("registry.example:5000/team/train:1", False, id="port and tag"),
        pytest.param(f"python@{DIGEST}", False, id="digest"),
        pytest.param(f"python:latest@{DIGEST}", False, id="the digest decides"),
        pytest.param("nvcr.io/nvidia/pytorch:latest-cuda", False, id="another tag that begins so"),
        pytest.param("latest:1", False, id="name"),
    ],
)
def test_an_image_of_a_runtime_and_of_a_train_job(image: str, is_reported: bool, tmp_path: Path) -> None:
    mark = f" # <- {TAG}" if is_reported else ""
    runtime = documents_of(tmp_path / "a", {"r.yaml": RUNTIME.replace("python:3.13-slim", f"{image}{mark}")})
    job = f"{JOB}  trainer:\n    image: {image}{mark}\n"
    train_job = documents_of(tmp_path / "b", {"j.yaml": joined(job, RUNTIME)})
    assert lines(found(runtime, TAG)) == marked(tmp_path / "a", TAG)
    assert lines(found(train_job, TAG)) == marked(tmp_path / "b", TAG)
    assert len(found(train_job, TAG)) == is_reported


def test_an_image_of_a_runtime_is_reported_once(tmp_path: Path) -> None:
    runtime = RUNTIME.replace("python:3.13-slim", f"python # <- {TAG}")
    jobs = joined(*(JOB.replace("mnist", name) for name in ("a", "b", "c")), runtime)
    assert lines(found(documents_of(tmp_path, {"all.yaml": jobs}), TAG)) == marked(tmp_path, TAG)


def test_an_image_that_an_overlay_changes(tmp_path: Path) -> None:
    overlay = f"resources: [../base]\nimages:\n  - name: python\n    newTag: latest # <- {TAG}\n"
    files = {"base/all.yaml": joined(JOB, RUNTIME), "prod/overlay.yaml": overlay}
    assert lines(found(documents_of(tmp_path, files, "prod"), TAG)) == marked(tmp_path, TAG)


def test_init_containers_have_images_too(tmp_path: Path) -> None:
    more = f"initContainers:\n  - name: fetch\n    image: busybox # <- {TAG}\n"
    runtime = RUNTIME.replace("                  containers:", indent(more, " " * 18) + "                  containers:")
    assert lines(found(documents_of(tmp_path, {"r.yaml": runtime}), TAG)) == marked(tmp_path, TAG)


SECRETS = [
    pytest.param("HF_TOKEN", "hf_abcdefghijklmnop", id="Hugging Face"),
    pytest.param("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", id="AWS"),
    pytest.param("WANDB_API_KEY", "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", id="hexadecimal"),
    pytest.param("DB_PASSWORD", "changeme", id="a word is a password"),
    pytest.param("client_secret", "s3cr3t", id="lower case"),
    pytest.param("TOKEN", "eyJhbGciOi.eyJzdWIiOi.s1GnAtUrE", id="one word"),
    pytest.param("BYTE_PAIR_TOKEN", "ab12cd34ef", id="any word before"),
    pytest.param("HF_TOKEN", "hf_abcdefghijklmnopqrstuvwxyzabcdefgh", id="Hugging Face's beginning"),
    pytest.param("GH_TOKEN", "ghp_abcdefabcdef", id="GitHub's beginning"),
    pytest.param("GH_TOKEN", "github_pat_abcdefabcdefabcdef_abc", id="GitHub's other beginning"),
    pytest.param("CI_SECRET", "glpat-abcdefabcdefabcdefab", id="GitLab's beginning"),
    pytest.param("AWS_KEY", "AKIAIOSFODNNEXAMPLEX", id="AWS's beginning"),
    pytest.param("OPENAI_API_KEY", "sk-abcdefghijklmnopqrst", id="OpenAI's beginning"),
    pytest.param("OPENAI_API_KEY", "sk-proj-abcdefghijklmnopqrst", id="OpenAI's longer beginning"),
    pytest.param("CLIENT_SECRET", "aBcDeFgHiJkLmNoP", id="mixed letters"),
    pytest.param("CLIENT_SECRET", "qvtzkwpxmrjbnhgfdlcsyaeuioqvtzkw", id="too long for a word"),
    pytest.param("CLIENT_SECRET", "550e8400-e29b-41d4-a716-446655440000", id="UUID"),
    pytest.param("CLIENT_SECRET", "admin:hunter", id="user and password"),
    pytest.param("DB_PASSWORD", "correct-horse-battery", id="words are a password"),
    pytest.param("DB_PASSWORD", "CHANGE_ME", id="capitals are a password"),
    pytest.param("PGPASSWORD", "changeme", id="the end of a word"),
    pytest.param("DB_PWD", "changeme", id="a short form"),
]
NO_SECRETS = [
    pytest.param("MAX_TOKENS", "abc", id="tokens"),
    pytest.param("TOKENIZERS_PARALLELISM", "abc", id="tokenizers"),
    pytest.param("MONKEY", "s3cr3t", id="part of a word"),
    pytest.param("BYPASS", "s3cr3t", id="the end of another word"),
    pytest.param("OLDPWD", "/workspace", id="a directory"),
    pytest.param("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE", id="another last word"),
    pytest.param("SORT_KEY", "created_at", id="a column"),
    pytest.param("IMAGE_KEY", "pixel_values", id="an entry"),
    pytest.param("LABEL_KEY", "label2", id="an entry with a number"),
    pytest.param("OPENAI_API_KEY", "EMPTY", id="a key that is none"),
    pytest.param("SSH_PUBLIC_KEY", "ecdsa-sha2-nistp521 AAAAE2VjZHNh", id="public"),
    pytest.param("USE_TOKEN", '"true"', id="boolean"),
    pytest.param("NUM_TOKEN", '"4096"', id="number"),
    pytest.param("PROMPT_TOKEN", '"1e6"', id="float"),
    pytest.param("HF_TOKEN", '""', id="empty"),
    pytest.param("TLS_KEY", "/etc/tls/tls.key", id="path"),
    pytest.param("TLS_KEY", "../tls.key", id="relative path"),
    pytest.param("VAULT_SECRET", "vault://team/secret", id="address"),
    pytest.param("HF_TOKEN", "$(HUB_TOKEN)", id="reference"),
    pytest.param("PAD_TOKEN", '"<|endoftext|>"', id="special token"),
    pytest.param("MASK_TOKEN", '"[MASK]"', id="special token in brackets"),
    pytest.param("EOS_TOKEN", "eos", id="special token by name"),
    pytest.param("HF_TOKEN", "xxxxxxxx", id="placeholder"),
    pytest.param("HF_TOKEN", "REPLACE_ME", id="placeholder in words"),
    pytest.param("DATASET_KEY", "datasets/2024/train.parquet", id="an object of a bucket"),
    pytest.param("CACHE_KEY", "run-2024-01-01", id="a date"),
    pytest.param("CACHE_KEY", "llama3-8b/step-100k", id="sizes"),
    pytest.param("REDIS_KEY", "train:created_at", id="a key with colons"),
    pytest.param("SORT_KEY", "createdAt", id="a column in camel case"),
    pytest.param("HF_TOKEN_SECRET", "hf-credentials", id="the name of a Secret"),
    pytest.param("HF_TOKEN_SECRET", "hf_credentials", id="what begins like a token"),
    pytest.param("CACHE_KEY", "sk-learn-features", id="what begins like a key"),
    pytest.param("PROMPT_TOKEN", "user", id="a role"),
    pytest.param("BYTE_PAIR_TOKEN", "abcdef", id="a word"),
]


def _with_env(name: str, value: str, mark: str) -> str:
    env = f"env:\n  - name: {name}\n    value: {value}{mark}\n"
    return RUNTIME + indent(env, " " * 22)


@pytest.mark.parametrize(("name", "value"), SECRETS)
def test_a_secret(name: str, value: str, tmp_path: Path) -> None:
    text = joined(JOB, JOB.replace("mnist", "other"), _with_env(name, value, f" # <- {ENV}"))
    diagnostics = found(documents_of(tmp_path, {"all.yaml": text}), ENV)
    assert lines(diagnostics) == marked(tmp_path, ENV)
    assert not any(value in text for each in diagnostics for text in (each.message, str(each.related)))


@pytest.mark.parametrize(("name", "value"), NO_SECRETS)
def test_no_secret(name: str, value: str, tmp_path: Path) -> None:
    assert found(documents_of(tmp_path, {"all.yaml": joined(JOB, _with_env(name, value, ""))}), ENV) == []


@pytest.mark.parametrize(
    ("job", "trainer"),
    [
        pytest.param(
            f"""\
            trainer:
              env:
                - name: HF_TOKEN
                  value: hf_abcdefghijklmnop # <- {ENV}
            """,
            "2.0",
            id="TrainJob",
        ),
        pytest.param(
            f"""\
            runtimePatches:
              - manager: acme.example/a
                trainingRuntimeSpec:
                  template:
                    spec:
                      replicatedJobs:
                        - name: node
                          template:
                            spec:
                              template:
                                spec:
                                  initContainers:
                                    - name: fetch
                                      env:
                                        - name: HF_TOKEN
                                          value: hf_abcdefghijklmnop # <- {ENV}
            """,
            "2.3",
            id="patch",
        ),
    ],
)
def test_a_secret_of_a_train_job(job: str, trainer: str, tmp_path: Path) -> None:
    more = "initContainers:\n  - name: fetch\n    image: busybox:1.37\n"
    runtime = RUNTIME.replace("                  containers:", indent(more, " " * 18) + "                  containers:")
    text = joined(JOB + indent(joined(job), "  "), runtime)
    documents = documents_of(tmp_path, {"all.yaml": text})
    assert lines(found(documents, ENV, trainer_version=trainer)) == marked(tmp_path, ENV)


def test_a_secret_that_a_train_job_takes_from_a_secret_still_stands_in_the_runtime(tmp_path: Path) -> None:
    reference = "valueFrom: {secretKeyRef: {name: hub, key: token}}"
    job = f"{JOB}  trainer:\n    env:\n      - name: HF_TOKEN\n        {reference}\n"
    text = joined(job, _with_env("HF_TOKEN", "hf_abcdefghijklmnop", f" # <- {ENV}"))
    assert lines(found(documents_of(tmp_path, {"all.yaml": text}), ENV)) == marked(tmp_path, ENV)


def test_a_secret_that_an_overlay_patches_in(tmp_path: Path) -> None:
    patch = f"""\
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata:
          name: mnist
        spec:
          trainer:
            env:
              - name: HF_TOKEN
                value: hf_abcdefghijklmnop # <- {ENV}
        """
    overlay = "resources: [../base]\npatches:\n  - path: patch.yaml\n"
    base = joined(JOB, RUNTIME)
    files = {"base/all.yaml": base, "prod/overlay.yaml": overlay, "prod/patch.yaml": joined(patch)}
    assert lines(found(documents_of(tmp_path, files, "prod"), ENV)) == marked(tmp_path, ENV)
