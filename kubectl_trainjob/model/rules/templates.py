"""KTJ060-KTJ069: templates (`*.j2`), rendered with an overlay's values."""

from __future__ import annotations

from kubectl_trainjob.model.rule import Rule, RuleClass

TEMPLATE_SYNTAX = Rule(
    "KTJ060",
    "template-syntax",
    """
    A template is no valid Jinja2, or uses a filter or test that does not exist. The message quotes what was found and
    what may stand there. A line that holds nothing but `{% … %}` leaves no line behind; `{% raw %}` protects braces
    that are meant for another program.
    """,
    rule_class=RuleClass.TOOL,
)

UNDEFINED_VALUE = Rule(
    "KTJ061",
    "undefined-value",
    """
    A template uses a value that the overlay does not define. Nothing is ever printed for a missing value, because an
    empty field changes a job silently. Define it under `values` in `overlay.yaml`, or give the template a default:
    `{{ values.epochs | default(3) }}`. A mapping's entries are read as `values.name` or `values["name"]`.
    """,
    rule_class=RuleClass.TOOL,
)

UNSAFE_TEMPLATE = Rule(
    "KTJ062",
    "unsafe-template",
    """
    A template reaches for something that templates do not have: other files (`include`, `import`, `extends`), the
    insides of Python objects, methods that change or format data, chance (`random`), or a filter made for HTML.
    Templates of a repository may be anybody's, and the same ones must give the same text on every machine.

    Filters: abs, batch, capitalize, count, d, default, dictsort, first, float, format, groupby, indent, int, items,
    join, last, length, list, lower, map, max, min, quote, reject, rejectattr, replace, reverse, round, select,
    selectattr, slice, sort, string, sum, title, to_json, to_yaml, tojson, trim, unique, upper.
    Functions: dict, namespace, range. Methods: those of text that give text or numbers, `get`, `items`, `keys` and
    `values` of mappings, `loop.cycle` and `loop.changed`.

    `{{ x }}` prints text as it is and everything else as JSON, which is YAML, too: `true`, `null`, `["a", "b"]`.
    `quote` makes a string of any value, `to_json` writes a value on one line, `to_yaml` as a block:
    `{{ values.env | to_yaml | indent(8) }}`. A string written by them cannot end early and become something else.
    """,
    rule_class=RuleClass.TOOL,
)

TEMPLATE_LIMIT = Rule(
    "KTJ063",
    "template-limit",
    """
    A template takes more processor time or memory than a template may, gives more text, nests too deeply, or does not
    end. A few characters can ask for gigabytes (`{{ "x" * 10**10 }}`); a template that describes jobs needs
    milliseconds.
    """,
    rule_class=RuleClass.TOOL,
)

TEMPLATE_FAILED = Rule(
    "KTJ064",
    "template-failed",
    """
    An expression of a template cannot be computed: numbers and texts are added, a number is divided by zero, a loop
    goes over something that is no list. The message says what Python says of it. `~` joins values of any kind to one
    text, `| int` and `| float` make numbers of text.
    """,
    rule_class=RuleClass.TOOL,
)
