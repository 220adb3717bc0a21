"""KTJ001-KTJ019: what cannot be read, or is read differently by different programs."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

YAML_SYNTAX = Rule(
    "KTJ001",
    "yaml-syntax",
    """
    The document is not valid YAML or JSON. The other documents of the file are still read.

    Bad:
        apiVersion: trainer.kubeflow.org/v1alpha1
        kind: TrainJob
        metadata:
          name: mnist
          annotations: {note: "unfinished}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: mnist
          annotations: {note: "finished"}
    """,
)

NOT_UTF8 = Rule(
    "KTJ002",
    "not-utf8",
    """
    Manifests are UTF-8 text, with or without a byte order mark. A file in UTF-16 (which Windows PowerShell writes by
    default) or in Latin-1 is refused instead of guessed at. Convert it: `iconv -f UTF-16 -t UTF-8`.
    """,
    rule_class=RuleClass.TOOL,
)

CONTROL_CHARACTER = Rule(
    "KTJ003",
    "control-character",
    """
    YAML allows no control characters besides tab and line ends in its text. A NUL is refused in every form, escaped
    ones too: it ends arguments and environment variables, so no container can receive it.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: words}
        data: {list: "one\\0two"}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: words}
        data: {list: "one\\ntwo"}
    """,
)

DUPLICATE_KEY = Rule(
    "KTJ004",
    "duplicate-key",
    """
    A mapping has the same key twice. kubectl silently takes the last one, kustomize refuses the file, and a reviewer
    sees either.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data:
          epochs: "3"
          epochs: "30"
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data:
          epochs: "30"
    """,
    rule_class=RuleClass.MISBEHAVES,
)

NON_STRING_KEY = Rule(
    "KTJ005",
    "non-string-key",
    """
    An unquoted key that YAML 1.1 reads as a number, a boolean or null: `y:`, `on:`, `1:`. kubectl turns it into other
    text ("true"), kustomize refuses it. Quote the key.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: axes}
        data: {x: "left", y: "top"}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: axes}
        data: {x: "left", "y": "top"}
    """,
    rule_class=RuleClass.MISBEHAVES,
)

EXPLICIT_TAG = Rule(
    "KTJ006",
    "explicit-tag",
    """
    A YAML tag (`!!str`, `!!binary`, `!secret`). Readers disagree on what tags mean and kubectl drops unknown ones
    silently, so none is allowed. Quotes make a string; anything else needs no tag.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {epochs: !!str 30}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {epochs: "30"}
    """,
    rule_class=RuleClass.MISBEHAVES,
)

NOT_FINITE = Rule(
    "KTJ007",
    "not-finite",
    """
    `.inf` and `.nan` are numbers in YAML but not in JSON, which is what the API server is sent: kubectl refuses the
    whole file. The same holds for a JSON number beyond the range of a float. Quote the value if text is meant.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {clip: .inf}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {clip: ".inf"}
    """,
)

DIRECTIVE = Rule(
    "KTJ008",
    "yaml-directive",
    """
    A line such as `%YAML 1.2` before the document. kubectl refuses the file. Remove the line.

    Bad:
        %YAML 1.2
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
    Good:
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
    """,
)

RECURSIVE_ALIAS = Rule(
    "KTJ009",
    "recursive-alias",
    """
    An alias stands inside the value that it repeats, which would make the value endless.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: &all {again: *all}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {first: &value "1", again: *value}
    """,
)

NOT_AN_OBJECT = Rule(
    "KTJ010",
    "not-an-object",
    """
    A document, or an item of a List, is text, a number or a list where a Kubernetes object (a mapping) belongs.

    Bad:
        - apiVersion: v1
          kind: ConfigMap
          metadata: {name: settings}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
    """,
)

AMBIGUOUS_MERGE = Rule(
    "KTJ011",
    "ambiguous-merge",
    """
    A merge key (`<<`) that readers understand differently: standing behind a key that it also brings, kubectl lets the
    merged value win, every other reader the written one. Or its value is no mapping. Write `<<` first.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: a, labels: &labels {team: nlp}, annotations: {team: vision, <<: *labels}}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: a, labels: &labels {team: nlp}, annotations: {<<: *labels, team: vision}}
    """,
    rule_class=RuleClass.MISBEHAVES,
)

DOCUMENT_SEPARATOR = Rule(
    "KTJ012",
    "document-separator",
    """
    Documents are separated by a line `---` with nothing but a comment behind it. kubectl refuses content on that line,
    and silently ignores whatever follows a line `...` without `---`.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: first}
        ...
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: second}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: first}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: second}
    """,
)

LONE_SURROGATE = Rule(
    "KTJ013",
    "lone-surrogate",
    r"""
    An escape such as "\ud83d" names half a character. It cannot be written as UTF-8, and kubectl refuses it or puts
    another character in its place. Write the character itself.

    Bad:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {mood: "\ud83d"}
    Good:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {mood: "😀"}
    """,
)
