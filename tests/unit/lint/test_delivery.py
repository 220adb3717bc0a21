"""The rules for what Argo CD or Flux applies, where the examples of their manuals do not show them."""

from __future__ import annotations

from itertools import count

import pytest

from kubectl_trainjob.integrations.files import content
from tests.unit.lint.test_manuals import findings

ARGOCD, FLUX = "delivery: argocd\n", "delivery: flux\n"
DISABLED = "kustomize.toolkit.fluxcd.io/substitute: disabled"
SCRIPT = """apiVersion: v1
kind: ConfigMap
metadata:
  name: scripts
data:
  run.sh: torchrun --nnodes={} train.py
"""
KUSTOMIZATION = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: training
spec:
  sourceRef: {{kind: OCIRepository, name: training}}
  interval: 10m
  prune: true
  {}
"""
APPLICATION = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: training
spec:
  {}: {{repoURL: https://github.com/acme/training.git, path: prod, plugin: {{name: {}}}}}
  syncPolicy: {{automated: {{prune: true}}, syncOptions: [{}]}}
"""
JOB = """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: job
  annotations: {{{}}}
spec:
  runtimeRef: {{kind: TrainingRuntime, name: plain}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata:
  name: plain
spec:
  mlPolicy: {{numNodes: 1}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
            spec: {{template: {{spec: {{containers: [{{name: node, image: acme/train:1}}]}}}}}}
"""
LATER = JOB.format("").replace("\nspec:\n  ml", '\n  annotations: {argocd.argoproj.io/sync-wave: "1"}\nspec:\n  ml')


@pytest.fixture
def lint(tmp_path):
    """The rules that a repository with one file breaks, each with its severity."""
    folders = (tmp_path / str(number) for number in count())
    return lambda text, settings: {
        (each.rule.name, str(each.severity)) for each in findings(next(folders), text, settings, "2.3")
    }


def test_a_script_is_substituted(lint):
    assert lint(SCRIPT.format("${NODES}"), FLUX) == {("flux-substitution", "info")}


@pytest.mark.parametrize("text", ["$NODES", "$${NODES}", "$(NODES)", "$${{ a }}"])
def test_what_flux_does_not_replace_is_not_reported(lint, text):
    assert lint(SCRIPT.format(f"'{text}'"), FLUX) == set()


def test_after_an_escaped_dollar_a_variable_is_replaced(lint):
    assert lint(SCRIPT.format("'$$${NODES:-1}'"), FLUX) == {("flux-substitution", "info")}


def test_with_post_build_it_is_a_warning(lint):
    text = KUSTOMIZATION.format("postBuild: {substitute: {a: b}}") + "---\n" + SCRIPT.format("${NODES}")
    assert lint(text, FLUX) == {("flux-substitution", "warning")}


@pytest.mark.parametrize("text", ["${1}", "${@}", "${{ a }}", "${", "${é}"])
def test_what_flux_rejects_is_reported(lint, text):
    assert lint(SCRIPT.format(f"'{text}'"), FLUX) == {("flux-substitution", "info")}


@pytest.mark.parametrize(
    ("spec", "severity"),
    [
        ("postBuild: {substituteFrom: [{kind: ConfigMap, name: cluster}]}", "warning"),
        ("postBuild: 5", "warning"),
        ("postBuild: {substitute: 5}", "warning"),
        (f"postBuild: {{substitute: {{a: b}}}}\n  commonMetadata: {{annotations: {{{DISABLED}}}}}", "info"),
    ],
)
def test_the_kustomization_decides(lint, spec, severity):
    text = KUSTOMIZATION.format(spec) + "---\n" + SCRIPT.format("${NODES}")
    assert lint(text, FLUX) == {("flux-substitution", severity)}


def test_a_kustomization_without_a_valid_spec_is_no_error(lint):
    text = KUSTOMIZATION.partition("spec:")[0] + "spec: 5\n---\n" + SCRIPT.format("${NODES}")
    assert lint(text, FLUX) == {("flux-substitution", "info")}


def test_the_printed_kustomization_replaces_nothing_in_scripts(lint):
    text = content("flux", "kustomization").decode().replace("  force:", "  postBuild: {substitute: {a: b}}\n  force:")
    assert lint(f"{text}---\n{SCRIPT.format('${NODES}')}", FLUX) == {("flux-substitution", "info")}


def test_a_variable_of_the_kustomization_is_wanted(lint):
    text = KUSTOMIZATION.format("postBuild: {substitute: {NODES: '4'}}") + "---\n" + SCRIPT.format("${NODES}")
    assert lint(text, FLUX) == set()
    assert lint(text.replace(" train.py", " ${RANK}"), FLUX) == {("flux-substitution", "warning")}


def test_a_label_disables_it_too(lint):
    text = SCRIPT.format("${NODES}").replace("\ndata:", f"\n  labels: {{{DISABLED}}}\ndata:")
    assert lint(text, FLUX) == set()


def test_argocd_replaces_no_variable(lint):
    assert lint(SCRIPT.format("${NODES}"), ARGOCD) == set()


def test_a_kustomization_that_forces_is_an_error(lint):
    assert lint(KUSTOMIZATION.format("force: true"), FLUX) == {("forced-run", "error")}


@pytest.mark.parametrize("source", ["source", "sources", "sourceHydrator"])
def test_an_application_that_replaces_is_an_error(lint, source):
    text = APPLICATION.format("source", "trainjob", "Replace=true, Prune=confirm")
    if source == "sources":
        text = text.replace("source: {", "sources: [{repoURL: a}, {").replace("}}\n  sync", "}}]\n  sync")
    if source == "sourceHydrator":
        text = text.replace("source: {", "sourceHydrator: {drySource: {").replace("}}\n  sync", "}}}\n  sync")
    assert lint(text, ARGOCD) == {("forced-run", "error")}


def test_the_application_of_another_plugin_is_not_checked(lint):
    assert lint(APPLICATION.format("source", "helm", "Replace=true"), ARGOCD) == set()


@pytest.mark.parametrize("options", ["5", "[5]", "{a: b}", "Prune=confirm"])
def test_options_of_another_type_confirm_nothing(lint, options):
    text = APPLICATION.format("source", "trainjob", "").replace("[]", options)
    assert lint(text, ARGOCD) == {("unconfirmed-prune", "warning")}


def test_automation_that_is_off_prunes_nothing(lint):
    text = APPLICATION.format("source", "trainjob", "").replace("prune: true", "prune: true, enabled: false")
    assert lint(text, ARGOCD) == set()


def test_an_application_set_is_checked(lint):
    head, spec = APPLICATION.format("source", "trainjob-0.1", "ServerSideApply=true").split("spec:\n")
    indented = "".join(f"    {line}\n" for line in spec.splitlines())
    text = f"{head.replace('Application', 'ApplicationSet')}spec:\n  template:\n    spec:\n{indented}"
    assert lint(text, ARGOCD) == {("unconfirmed-prune", "warning")}


@pytest.mark.parametrize(("hook", "is_later"), [("PostSync", False), ("PreSync", False), ("Sync", True)])
def test_hooks_of_other_phases_do_not_wait(lint, hook, is_later):
    marks = f"  annotations: {{argocd.argoproj.io/sync-wave: '2', argocd.argoproj.io/hook: {hook}}}\n"
    text = JOB.format("") + "---\n" + SCRIPT.format("").replace("\ndata:", f"\n{marks}data:")
    assert lint(text, ARGOCD) == ({("sync-wave-after-run", "warning")} if is_later else set())


def test_a_job_in_a_later_wave_waits_for_the_first(lint):
    job, runtime = JOB.format("").split("---\n")
    waves = "  template:\n    metadata: {annotations: {argocd.argoproj.io/sync-wave: '1'}}\n"
    late = [job.replace("name: job", "name: late").replace("plain", "late")]
    late.append(runtime.replace("name: plain", "name: late").replace("  template:\n", waves, 1))
    assert lint("---\n".join([job, runtime, *late]), ARGOCD) == {("sync-wave-after-run", "warning")}
    assert lint("---\n".join(late), ARGOCD) == set()


def test_of_a_train_job_that_is_applied_its_own_annotations_count(lint):
    hook = JOB.format("argocd.argoproj.io/hook: Sync")
    assert lint(hook, ARGOCD + "emit: trainjob\n") == {("run-is-hook", "warning")}


def test_of_a_train_job_that_is_expanded_they_do_not(lint):
    assert lint(JOB.format("argocd.argoproj.io/hook: Sync"), ARGOCD) == set()


def test_a_runtime_in_a_later_wave_is_only_applied_with_train_jobs(lint):
    assert lint(LATER, ARGOCD) == set()


def test_with_train_jobs_it_waits_for_the_run(lint):
    assert lint(LATER, ARGOCD + "emit: trainjob\n") == {("sync-wave-after-run", "warning")}
