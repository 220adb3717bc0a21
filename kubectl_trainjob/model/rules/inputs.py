"""KTJ020-KTJ039: limits of what is read, files that are not followed, documents that are no objects."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

FILE_TOO_LARGE = Rule(
    "KTJ020",
    "file-too-large",
    "A file is larger than the limit for one file. Split it, or keep large data out of manifests.",
    rule_class=RuleClass.TOOL,
)

BUILD_TOO_LARGE = Rule(
    "KTJ021",
    "build-too-large",
    "All files of one build together are larger than the limit. Build fewer directories at a time.",
    rule_class=RuleClass.TOOL,
)

TOO_MANY_DOCUMENTS = Rule(
    "KTJ022",
    "too-many-documents",
    "One build reads more documents and List items than the limit. Build fewer directories at a time.",
    rule_class=RuleClass.TOOL,
)

TOO_DEEP = Rule(
    "KTJ023",
    "too-deep",
    "Mappings and lists are nested deeper than the limit. No Kubernetes object of ours comes near it.",
    rule_class=RuleClass.TOOL,
)

ALIAS_EXPANSION = Rule(
    "KTJ024",
    "alias-expansion",
    """
    The aliases (`*name`) and merge keys of a build repeat more values than the limit; a long text counts as one for
    each 512 characters. Nested aliases grow a few lines into gigabytes; write out what is needed.
    """,
    rule_class=RuleClass.TOOL,
)

TOO_DENSE = Rule(
    "KTJ027",
    "too-dense",
    """
    One document has more lines and commas than the limit; reading it could take gigabytes of memory. No object that
    Kubernetes stores comes near it: keep large data out of manifests.
    """,
    rule_class=RuleClass.TOOL,
)

UNSAFE_PATH = Rule(
    "KTJ025",
    "unsafe-path",
    """
    A manifest in a directory is a symbolic link, or no regular file. Links are not followed, because they can lead out
    of the repository: copy the file, or name what the link leads to as a PATH of its own.
    """,
    rule_class=RuleClass.TOOL,
)

UNLISTED_TEMPLATE = Rule(
    "KTJ026",
    "unlisted-template",
    """
    A template (`*.j2`) lies among the manifests and no overlay lists it, so nothing would render it and its objects
    would be missing from the build without a word. List it in an overlay's `resources`, or move it away.
    """,
    rule_class=RuleClass.TOOL,
)

UNBUILT_KUSTOMIZATION = Rule(
    "KTJ028",
    "unbuilt-kustomization",
    """
    A directory that was named has a kustomization. It is not built: its resources and patches are read as manifests of
    their own. Let kustomize build it and read the result: `kubectl kustomize DIR | kubectl trainjob build -`.

    Bad:
        apiVersion: kustomize.config.k8s.io/v1beta1
        kind: Kustomization
        resources: [job.yaml]
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
    """,
    severity=Severity.WARNING,
    rule_class=RuleClass.TOOL,
)

MISSING_TYPE = Rule(
    "KTJ030",
    "missing-type",
    """
    An object states only one of `apiVersion` and `kind`, or states it as something else than text. (Documents with
    neither are taken for other files, such as Helm values, and ignored with a note.)

    Bad:
        kind: ConfigMap
        metadata: {name: settings}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
    """,
)

MISSING_NAME = Rule(
    "KTJ031",
    "missing-name",
    """
    An object has no `metadata.name`.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {labels: {team: nlp}}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings, labels: {team: nlp}}
    """,
)
