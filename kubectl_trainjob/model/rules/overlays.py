"""KTJ050-KTJ059: overlays (`overlay.yaml`) and what they lie over."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass, Severity

INVALID_OVERLAY = Rule(
    "KTJ050",
    "invalid-overlay",
    """
    An `overlay.yaml` (kind `Overlay` of kubectl-trainjob.dev/v1alpha1) has a field that does not exist, has another
    type, or has a value that means nothing. Where kustomize has the same concept, the words and their meaning are
    kustomize's.
    """,
    rule_class=RuleClass.TOOL,
)

UNKNOWN_RESOURCE = Rule(
    "KTJ051",
    "unknown-resource",
    """
    An overlay names a file or directory that is not there, that leads out of the repository, or that lies on another
    machine. Paths are relative to the overlay's own directory; nothing is ever fetched.
    """,
    rule_class=RuleClass.TOOL,
)

OVERLAY_CYCLE = Rule(
    "KTJ052",
    "overlay-cycle",
    "Overlays have each other among their `resources`. Remove one of the entries.",
    rule_class=RuleClass.TOOL,
)

FAILED_PATCH = Rule(
    "KTJ053",
    "failed-patch",
    """
    A patch of an overlay cannot be applied to an object that it is meant for: a JSON 6902 operation names a place that
    is not there, a `test` fails, a list of a strategic merge patch has an entry without its key.
    """,
    rule_class=RuleClass.TOOL,
)

PATCH_WITHOUT_OBJECT = Rule(
    "KTJ054",
    "patch-without-object",
    """
    A strategic merge patch without a `target` names its object by apiVersion, kind and metadata.name, and the overlay
    has no such object, or several. Mend the name, or write a `target`.
    """,
    rule_class=RuleClass.TOOL,
)

IDLE_SETTING = Rule(
    "KTJ055",
    "idle-setting",
    """
    The `target` of a patch selects no object of the overlay, or an entry of `images` names an image that none of them
    has, so it does nothing. kustomize says nothing in this case; here it is a warning, because most often a name was
    changed, or misspelt, and the old image goes to production.
    """,
    severity=Severity.WARNING,
    rule_class=RuleClass.TOOL,
)

SPOILED_OBJECT = Rule(
    "KTJ056",
    "spoiled-object",
    """
    A patch takes an object's apiVersion, kind or metadata.name away, or makes something else than text of it. What is
    left is no object that a cluster could hold.
    """,
    rule_class=RuleClass.TOOL,
)

TOO_MANY_EDITS = Rule(
    "KTJ059",
    "too-many-edits",
    """
    The patches, labels, annotations and images of the overlays of a build, each for so many objects, are more than the
    limit, or they cost more than the limit because of what stands in the objects (an entry at the front of a list of
    100 000, a thousand times): the build would take minutes. Give patches fewer objects, or build fewer overlays at a
    time.
    """,
    rule_class=RuleClass.TOOL,
)

TOO_MANY_MEMBERS = Rule(
    "KTJ057",
    "too-many-members",
    """
    Overlays over overlays, each with the one below several times, have more objects together than one build may read,
    or more than 64 overlays lie over each other. List each directory once, and take some overlays together.
    """,
    rule_class=RuleClass.TOOL,
)

AMBIGUOUS_NAME = Rule(
    "KTJ058",
    "ambiguous-name",
    """
    An object refers to another one by a name that several objects had before overlays renamed them, so nobody can tell
    which one is meant now. kustomize fails there, too. Write the name that the object has in the end.
    """,
    rule_class=RuleClass.TOOL,
)
