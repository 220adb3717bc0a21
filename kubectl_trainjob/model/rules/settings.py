"""KTJ040-KTJ049: the repository's configuration, `trainjob.yaml`."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

INVALID_SETTING = Rule(
    "KTJ040",
    "invalid-setting",
    """
    The repository's `trainjob.yaml` (kind `Config` of kubectl-trainjob.dev/v1alpha1) has a setting that does not exist,
    has another type, or is not supported by this version of the tool. Settings are never ignored silently: a team
    relies on them.
    """,
    rule_class=RuleClass.TOOL,
)

UNSUPPORTED_TARGET = Rule(
    "KTJ041",
    "unsupported-target",
    """
    `target` in `trainjob.yaml` names the versions that run in the cluster. For the version that it names there is no
    data here; the message lists those that there are.
    """,
    rule_class=RuleClass.TOOL,
)

CONFLICTING_SETTINGS = Rule(
    "KTJ042",
    "conflicting-settings",
    """
    One build reads from two repositories whose `trainjob.yaml` name different versions of Trainer, or different
    settings of `emit`. Build them one at a time, or say which is meant with --trainer-version or --emit.
    """,
    rule_class=RuleClass.TOOL,
)

NESTED_SETTINGS = Rule(
    "KTJ043",
    "nested-settings",
    """
    A directory below the one that is built has a `trainjob.yaml` of its own. The root's settings count for this build,
    those below for a build of that directory: the same manifests can give two results. Keep one file, at the root.
    """,
    severity=Severity.WARNING,
    rule_class=RuleClass.TOOL,
)
