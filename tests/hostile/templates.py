"""Templates made to leave the sandbox or to use up a machine, and what each must end in."""

CANARY = "canary-7f3a"  # stands in the environment of the build and in a file beside it

SYNTAX, UNDEFINED, UNSAFE, LIMIT, FAILED = (f"KTJ06{n}" for n in range(5))
MACRO = "{% macro m(x='') %}{{ x }}{% endmacro %}"
LOOP = "{% for x in [1] %}", "{% endfor %}"

CONTEXT = {
    "values": {
        "name": "mnist",
        "gpus": ["a", "b"],
        "gadget": "__class__",
        "format": "{0.__class__.__init__.__globals__}",
        "file": "/etc/passwd",
        "__init__": "own",
    },
    "overlay": {"name": "prod", "namespace": "ml"},
}

# Each is rejected by the rule that stands before it, save those that end in `-> text`: they are harmless.
_ESCAPES = r"""
KTJ062 {{ ''.__class__.__mro__[1].__subclasses__() }}
KTJ062 {{ ''['__class__'] }}
KTJ062 {{ {}.__class__.__base__.__subclasses__() }}
KTJ062 {{ [].__class__ }}{{ ().__class__ }}
KTJ062 {{ (1).__class__ }}
KTJ062 {{ none.__class__ }}
KTJ062 {{ true.__class__.__bases__ }}
KTJ062 {{ 1.5.__class__ }}
KTJ062 {{ values.__class__ }}
KTJ062 {{ values.gpus.__class__ }}
KTJ062 {{ ''[:].__class__ }}
KTJ062 {{ [''.__class__] }}
KTJ062 {% for x in ''.__class__ %}{% endfor %}
KTJ062 {% if ''.__class__ %}{% endif %}
KTJ062 {% with a = ''.__class__ %}{{ a }}{% endwith %}
KTJ062 {% set a = ''.__class__ %}{{ a }}
KTJ061 {{ values['get'] }}
KTJ062 {{ values['__getitem__'] }}
KTJ062 {{ values.__getitem__('name') }}
KTJ062 {{ values.__setitem__('name', 1) }}
KTJ062 {{ values.__delitem__('name') }}
KTJ062 {{ values.__dir__() }}
KTJ062 {{ values.__reduce_ex__(2) }}
KTJ062 {{ ''.__class__() }}
KTJ062 {{ ''.__ｃlass__ }}
KTJ062 {{ ''['__cl\x61ss__'] }}
KTJ062 {{ ''['\u005f_class__'] }}
KTJ062 {{ ''['__cla' ~ 'ss__'] }}
KTJ062 {{ ''['__cla' + 'ss__'] }}
KTJ062 {{ ''['__cla' 'ss__'] }}
KTJ062 {{ ''[['__cla', 'ss__']|join] }}
KTJ062 {{ ''['%sclass%s' % ('__', '__')] }}
KTJ062 {{ ''['__ssalc__'[::-1]] }}
KTJ062 {{ ''['__CLASS__'|lower] }}
KTJ062 {{ ''['__CLASS__'.lower()] }}
KTJ062 {{ ''[values.gadget] }}
KTJ062 {% set x %}__class__{% endset %}{{ ''[x] }}
KTJ062 {% macro g() %}__class__{% endmacro %}{{ ''[g()] }}
KTJ062 {{ ''|attr('__class__') }}
KTJ062 {{ ('{0.__class__.__init__.__globals__}'|attr('format'))(values) }}
KTJ062 {{ [values]|map('attr', '__class__')|list }}
KTJ062 {% filter attr('__class__') %}x{% endfilter %}
KTJ062 {% set x | attr('__class__') %}x{% endset %}
KTJ062 {{ '{0.__class__}'.format(1) }}
KTJ062 {{ '{a.__class__}'.format_map({'a': 1}) }}
KTJ062 {{ values.format.format(range) }}
KTJ061 {% set f = '{0.__class__}'.format %}{{ f(1) }}
KTJ061 {{ ['{0.__class__}'.format]|map('string') }}
KTJ061 {{ ''.join.__self__ }}
KTJ061 {{ ''['format'] }}
KTJ062 {{ (''|string).format(1) }}
KTJ062 {{ ('%s' % '{0.__class__}').format(1) }}
KTJ064 {{ '{0.__class__}'|format(1) }}
KTJ064 {{ ['{0.__class__}']|map('format', 1)|list }}
KTJ064 {% filter format(1) %}{0.__class__}{% endfilter %}
KTJ064 {{ '%(a.__class__)s'|format(a=1) }}
KTJ064 {{ '%s'|format(range) }}
KTJ064 {{ '%r' % range }}
KTJ064 {{ '%(x)s' % {'x': range} }}
KTJ061 {{ lipsum.__globals__ }}
KTJ061 {{ lipsum(n=1) }}
KTJ061 {{ cycler.__init__.__globals__.os }}
KTJ061 {{ cycler('a').next() }}
KTJ061 {{ joiner.__init__.__globals__ }}
KTJ062 {{ namespace.__init__.__globals__ }}
KTJ062 {{ range.__globals__ }}
KTJ062 {{ range.__code__.co_consts }}
KTJ062 {{ range.__call__(3) }}
KTJ062 {{ range.__wrapped__ }}
KTJ062 {{ dict.__class__.__mro__ }}
KTJ062 {{ dict.mro() }}
KTJ062 {{ dict.fromkeys([1]) }}
KTJ062 {{ self.__init__.__globals__ }}
KTJ062 {{ self._TemplateReference__context }}
KTJ062 {{ self }}
KTJ062 {{ super() }}
KTJ062 MACRO{{ m.__globals__ }}
KTJ062 MACRO{{ m.__call__() }}
KTJ061 MACRO{{ m._func }}
KTJ061 MACRO{{ m._environment }}
KTJ061 MACRO{{ m.name }}
KTJ061 MACRO{{ m['_func'] }}
KTJ064 MACRO{{ m }}
KTJ064 MACRO{{ [m]|join }}
KTJ064 MACRO{{ m ~ '' }}
KTJ062 {% macro m() %}{{ caller.__globals__ }}{% endmacro %}{% call m() %}{% endcall %}
KTJ061 {% macro m() %}{{ caller._func }}{% endmacro %}{% call m() %}{% endcall %}
KTJ062 {% macro m() %}{{ varargs.__class__ }}{% endmacro %}{{ m(1) }}
KTJ062 {% macro m() %}{{ kwargs.__class__ }}{% endmacro %}{{ m(a=1) }}
KTJ061 LOOP{{ loop._iterable }}END
KTJ061 LOOP{{ loop._undefined }}END
KTJ062 LOOP{{ loop.__class__ }}END
KTJ061 LOOP{{ loop['_iterator'] }}END
KTJ061 LOOP{{ loop.cycle.__self__ }}END
KTJ062 LOOP{{ loop.__init__([]) }}END
KTJ062 LOOP{{ loop._peek_next() }}END
KTJ064 LOOP{{ loop }}END
KTJ064 LOOP{{ loop([]) }}END
KTJ062 {% set ns = namespace(a=1) %}{{ ns.__class__ }}
KTJ061 {% set ns = namespace(a=1) %}{{ ns._Namespace__attrs }}
KTJ062 {% set ns = namespace(a=1) %}{{ ns['__class__'] }}
KTJ062 {% set ns = namespace(__init__=1) %}{{ ns.__init__ }}
KTJ062 {% set ns = namespace() %}{% set ns.__class__ = 1 %}{{ ns.__class__ }}
KTJ064 {% set ns = namespace() %}{% set ns.x = ns %}{{ ns.x }}
KTJ064 {% set values.__class__ = 1 %}
KTJ064 {% set range.x = 1 %}
KTJ061 {{ nothing.__class__ }}
KTJ061 {{ nothing._fail_with_undefined_error.__globals__ }}
KTJ061 {{ nothing._undefined_exception }}
KTJ061 {{ values.nothing.__init__.__globals__ }}
KTJ061 {{ ([1]|map('upper')).gi_frame.f_globals }}
KTJ061 {{ ([1]|map('upper')).gi_code }}
KTJ061 {{ ([1]|select).ag_frame }}
KTJ061 {{ ([1]|batch(1)).cr_code }}
KTJ062 {{ ([1]|map('upper')).__iter__() }}
KTJ062 {{ ([1]|map('upper')).send(none) }}
KTJ062 {{ MACRO_CALL.__await__() }}
KTJ062 {{ values.items().__iter__() }}
KTJ061 {{ values.items().mapping }}
KTJ062 {{ [1]|map(attribute='__class__')|list }}
KTJ062 {{ [1]|map(attribute='__class__.__mro__')|list }}
KTJ062 {{ [1]|sum(attribute='__class__') }}
KTJ062 {{ [1]|groupby('__class__') }}
KTJ062 {{ [1]|groupby(attribute='__class__')|list }}
KTJ062 {{ [2, 1]|sort(attribute='__class__') }}
KTJ062 {{ [1]|selectattr('__class__')|list }}
KTJ062 {{ [1]|rejectattr('__class__')|list }}
KTJ062 {{ ['']|join(attribute='__class__') }}
KTJ062 {{ [1]|unique(attribute='__class__')|list }}
KTJ062 {{ [1, 2]|min(attribute='__class__') }}
KTJ062 {{ [1, 2]|max(attribute='__class__') }}
KTJ062 {{ [1]|map('random')|list }}
KTJ062 {{ [1]|map('pprint')|list }}
KTJ062 {{ [1]|select('callable')|list }}
KTJ064 {{ [1]|map(range)|list }}
KTJ062 {{ values.gpus|random }}
KTJ062 {{ values|pprint }}
KTJ062 {{ values|xmlattr }}
KTJ062 {{ 'http://a.b'|urlize }}
KTJ062 {{ 'a'|safe }}
KTJ062 {{ 'a'|e }}{{ 'a'|escape }}{{ 'a'|forceescape }}
KTJ062 {{ 'a'|striptags }}
KTJ062 {{ 1|filesizeformat }}
KTJ062 {{ 'a'|center(9) }}{{ 'a'|truncate(1) }}{{ 'a'|wordwrap(1) }}{{ 'a'|wordcount }}
KTJ062 {{ 'a'|urlencode }}
KTJ062 {{ values is sameas values }}
KTJ062 {{ range is callable }}
KTJ062 {{ 'attr' is filter }}
KTJ062 {{ 'a' is escaped }}
KTJ062 {% include '/etc/passwd' %}
KTJ062 {% include values.file ignore missing %}
KTJ062 {% include ['a', 'b'] %}
KTJ062 {% import '/etc/passwd' as x %}
KTJ062 {% from '/etc/passwd' import x %}
KTJ062 {% extends '/etc/passwd' %}
KTJ062 {% extends none %}
KTJ062 {% block x %}{% endblock %}
KTJ062 {% autoescape true %}{% endautoescape %}
KTJ060 {% trans %}x{% endtrans %}
KTJ060 {% debug %}
KTJ060 {% do values.clear() %}
KTJ060 {% break %}
KTJ062 {{ values.update({'name': 1}) }}
KTJ062 {{ values.pop('name') }}
KTJ062 {{ values.popitem() }}
KTJ062 {{ values.clear() }}
KTJ062 {{ values.setdefault('a', 1) }}
KTJ062 {{ values.copy() }}
KTJ062 {{ values.gpus.append('c') }}
KTJ062 {{ values.gpus.extend([1]) }}
KTJ062 {{ values.gpus.sort() }}
KTJ062 {{ values.gpus.insert(0, 1) }}
KTJ062 {{ 'a'.encode() }}
KTJ062 {{ 'a'.translate({}) }}
KTJ062 {{ 'a'.maketrans('a', 'b') }}
KTJ062 {{ 'a'.expandtabs(9) }}
KTJ062 {{ (1).to_bytes(8) }}
KTJ061 {{ (1).real }}
KTJ062 {{ 1.5.hex() }}
KTJ061 {{ __builtins__ }}
KTJ061 {{ __import__('os') }}
KTJ061 {{ open('/etc/passwd') }}
KTJ061 {{ eval('1') }}
KTJ061 {{ environment }}
KTJ061 {{ context }}
KTJ061 {{ resolve('values') }}
KTJ061 {{ undefined }}
KTJ061 {{ missing }}
KTJ061 {{ concat(['a']) }}
KTJ061 {{ l_0_values }}
KTJ061 {{ t_1 }}
KTJ061 {{ cond_expr_undefined }}
KTJ061 {{ __jinja_template__ }}
KTJ061 {{ __file__ }}
KTJ061 {{ Macro }}{{ Undefined }}{{ Namespace }}
KTJ061 {{ request.application }}{{ config }}{{ g }}
KTJ061 {{ env('HOME') }}{{ lookup('file', '/etc/passwd') }}{{ now() }}
KTJ064 {{ range(_loop_vars=5) }}
KTJ064 {{ dict(5) }}
KTJ064 {{ dict(range) }}
KTJ064 {{ range(*values.gpus) }}
KTJ064 {{ values.get(key='name') }}
KTJ064 {{ ''.upper(self=1) }}
KTJ064 {{ ''.join([range]) }}
KTJ064 {{ {range: 1} }}
KTJ064 {% call values.get('name') %}{% endcall %}
KTJ064 {% call range(3) %}{% endcall %}
KTJ062 {% call ''.format() %}{% endcall %}
KTJ062 {{ 'x'() }}
KTJ062 {{ values() }}
KTJ062 {{ values.name() }}
KTJ062 {{ (1)() }}
KTJ060 {{ dict(__debug__=1) }}
KTJ060 {{ dict(a=1, a=2) }}
KTJ060 {{ ''.__class__
KTJ060 {{ 'a' ; import os }}
KTJ060 {{ lambda: 1 }}
KTJ060 {{ [x for x in y] }}
KTJ060 {{ x := 1 }}
{{ ''.__class__ is defined }} -> false
{{ ''.__class__ | default('x') }} -> x
{{ values.__init__ }} -> own
{{ dict(__class__=1).__class__ }} -> 1
{{ dict(_loop_vars=1, _block_vars=2) }} -> {}
{{ dict(ａ=1) }} -> {"a": 1}
{{ dict(class=1, None=2, print=3) }} -> {"class": 1, "None": 2, "print": 3}
{% set environment = 1 %}{{ values.name }} -> mnist
{% set context = 1 %}{% set resolve = 1 %}{% set missing = 1 %}{{ values.name }} -> mnist
{% set undefined = 1 %}{% set concat = 1 %}{% set Macro = 1 %}{% macro m() %}a{% endmacro %}{{ m() }} -> a
KTJ061 {% set undefined = 1 %}{{ m }}{% macro m() %}{% endmacro %}
{% macro environment() %}{{ values.name }}{% endmacro %}{{ environment() }} -> mnist
{% set range = 1 %}{{ range }} -> 1
{{ "\"\n    import os\n'''" | length }} -> 19
{{ "'" ~ '"' ~ '\\' }} -> '"\
# for x in values.gpus -> # for x in values.gpus
<% import os %>${values} -> <% import os %>${values}
{{ values.name }}{# {{ open('/etc/passwd') }} #} -> mnist
{% raw %}{{ open('/etc/passwd') }}{% endraw %} -> {{ open('/etc/passwd') }}
"""


def _escapes() -> list[tuple[str, str, str]]:
    """Templates, each with its rule or else with its text."""
    found = []
    for line in _ESCAPES.strip().split("\n"):
        rule, _, template = line.partition(" ") if line.startswith("KTJ06") else ("", "", line)
        template, _, text = template.partition(" -> ") if not rule else (template, "", "")
        template = template.replace("MACRO_CALL", "MACROm()").replace("LOOP", LOOP[0]).replace("END", LOOP[1])
        if "MACRO" in template:
            template = MACRO + template.replace("MACRO", "")
        found.append((template, rule, text))
    return found


ESCAPES = _escapes()

# What a template may hold that is no plain data, tried with everything that is offered.
GADGETS = {
    "function": "range",
    "macro": "m",
    "loop": "loop",
    "namespace": "ns",
    "undefined": "nothing",
    "list of them": "[range, m, loop, ns]",
    "mapping of them": "{'a': range, 'b': m}",
    "text that names one": "'__class__'",
}


def with_gadgets(expression: str) -> str:
    """A template in which a macro `m`, a namespace `ns` and a `loop` exist."""
    start = MACRO + "{% set ns = namespace(a=1) %}"
    return f"{start}{{% for x in [1, 2] %}}{{{{ {expression} }}}}{{% endfor %}}"


_GROWN = (
    "{% set ns = namespace(a=START, b=START) %}{% for i in range(COUNT) %}{% set ns.a = STEP %}{% set ns.b = OTHER %}"
)


def _grown(start: str, step: str, use: str, count: int = 40) -> str:
    """`ns.a` and `ns.b`, each made of itself again and again, then used."""
    text = _GROWN.replace("START", start).replace("COUNT", str(count)).replace("STEP", step)
    return text.replace("OTHER", step.replace("ns.a", "ns.b")) + "{% endfor %}" + use


NO_LINE = "many tags"

# All stand in line 3; None stands for harmless.
BOMBS: dict[str, tuple[str, str | None]] = {
    "text repeated": ("{{ 'a' * 300000000 }}", LIMIT),
    "text repeated more": ("{{ 'a' * 10 ** 12 }}", LIMIT),
    "text repeated beyond all addresses": ("{{ 'a' * 10 ** 30 }}", FAILED),
    "text repeated, then measured": ("{{ ('a' * 600000000)|length }}", LIMIT),
    "text centred": ("{{ 'a'|center(300000000) }}", UNSAFE),
    "text padded": ("{{ 'a'.ljust(300000000) }}", LIMIT),
    "text filled": ("{{ '1'.zfill(10 ** 10) }}", LIMIT),
    "text doubled": (_grown("'a'", "ns.a ~ ns.a", "{{ ns.a }}", 28), LIMIT),
    "text doubled often": (_grown("'a'", "ns.a + ns.a", "{{ ns.a }}", 60), LIMIT),
    "text replaced": ("{{ ('a' * 10 ** 6)|replace('a', 'b' * 10 ** 6) }}", LIMIT),
    "text joined": ("{{ ('b' * 10 ** 6).join(['a'] * 10 ** 6) }}", LIMIT),
    "text indented": ("{{ ('\\n' * 10 ** 6)|indent(10 ** 6, blank=true) }}", LIMIT),
    "text indented widely": ("{{ 'a\\nb'|indent(10 ** 10) }}", LIMIT),
    "lorem ipsum": ("{{ lipsum(n=100000) }}", UNDEFINED),
    "number padded": ("{{ '%0300000000d'|format(1) }}", LIMIT),
    "number padded by an operator": ("{{ '%300000000d' % 1 }}", LIMIT),
    "number padded by a number": ("{{ '%*d' % (10 ** 9, 1) }}", LIMIT),
    "number with decimals": ("{{ '%.2147483646f' % 1 }}", LIMIT),
    "number padded by str.format": ("{{ '{:300000000}'.format(1) }}", UNSAFE),
    "power": ("{{ 2 ** 80000000 % 3 }}", None),
    "number printed": ("{{ 2 ** 10000000 }}", FAILED),
    "number formatted": ("{{ '%d' % 2 ** 10000000 }}", FAILED),
    "number read": ("{{ ('1' * 10 ** 7)|int }}", None),
    "batches": ("{{ [1]|batch(10 ** 8, 'a') }}", LIMIT),
    "slices": ("{{ [1]|slice(10 ** 8)|list }}", LIMIT),
    "list repeated": ("{{ [[]] * 10 ** 9 }}", LIMIT),
    "list doubled": (_grown("['a']", "ns.a + ns.a", "{{ ns.a }}"), LIMIT),
    "list as JSON, deep": (_grown("['a']", "[ns.a]", "{{ ns.a|to_json }}", 3000), LIMIT),
    "list compared, deep": (_grown("['a']", "[ns.a]", "{{ ns.a == ns.b }}", 99999), LIMIT),
    "range": ("{{ range(10 ** 9) }}", LIMIT),
    "ranges": ("{{ range(99999) * 99999 }}", LIMIT),
    "much text": ("{% for i in range(99999) %}aaaaaaaaaaaaaaaa{% endfor %}", LIMIT),
    "much text in a macro": (
        "{% macro m() %}" + "{% for i in range(99999) %}a{% endfor %}" * 11 + "{% endmacro %}{{ m() }}",
        LIMIT,
    ),
    "much text in a block": (
        "{% set x %}" + "{% for i in range(99999) %}a{% endfor %}" * 11 + "{% endset %}{{ x }}",
        LIMIT,
    ),
    "macro without end": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", LIMIT),
    "macros without end": (
        "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
        LIMIT,
    ),
    "loop without end": ("{% for x in [1] recursive %}{{ loop([x]) }}{% endfor %}", LIMIT),
    "brackets": ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", LIMIT),
    "many brackets": ("{{ " + "(" * 500000, LIMIT),
    "lists in lists": ("{{ " + "[" * 3000 + "]" * 3000 + " }}", LIMIT),
    "signs": ("{{ " + "-" * 100000 + "1 }}", LIMIT),
    "sum": ("{{ " + "1+" * 20000 + "1 }}", LIMIT),
    "attributes": ("{{ a" + ".a" * 20000 + " }}", LIMIT),
    "filters": ("{{ a" + "|abs" * 20000 + " }}", LIMIT),
    "blocks in blocks": ("{% if 1 %}" * 20000, LIMIT),
    "tags without an end": ("{% if 1 " * 50000, SYNTAX),
    "open comment": ("{#" + " {#" * 200000, SYNTAX),
    "comments": ("{# a #}" * 20000, None),
    "blanks in a tag": ("{%" + " " * 1000000 + "if 1 %}{% endif %}", None),
    "blanks before a tag": (" " * 1000000 + "{%- if 1 %}{% endif %}", None),
    "minus signs": ("{%-" * 100000, SYNTAX),
    "digits": ("{{ " + "9" * 1000000 + " }}", SYNTAX),
    "string of escapes": ("{{ '" + "\\u0041" * 100000 + "'|length }}", None),
    "line ends": ("\n" * 1000000, None),
    "carriage returns": ("\r\n" * 400000, None),
    "line separators": ("\u2028" * 300000, None),
}

# What takes all the time there is; "many tags" before the template begins to run, so that no line is to blame.
SLOW_BOMBS: dict[str, tuple[str, str | None]] = {
    "nested loops": ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", LIMIT),
    "nested loops in a macro": (
        "{% macro m() %}{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}{% endmacro %}"
        "{{ m() }}",
        LIMIT,
    ),
    "macros that call twice": (
        "".join(f"{{% macro m{n}() %}}{{{{ m{n + 1}() ~ m{n + 1}() }}}}{{% endmacro %}}" for n in range(40))
        + "{% macro m40() %}{% endmacro %}{{ m0() }}",
        LIMIT,
    ),
    "tower of powers": ("{{ 9 ** (9 ** 9) }}", LIMIT),
    "numbers squared": (_grown("3", "ns.a * ns.a", "{{ ns.a % 7 }}", 30), LIMIT),
    "rounded to many places": ("{{ 1.5|round(10 ** 9, 'floor') }}", LIMIT),
    "list printed": (_grown("['a']", "[ns.a, ns.a]", "{{ ns.a }}"), LIMIT),
    "list as YAML": (_grown("['a']", "[ns.a, ns.a]", "{{ ns.a|to_yaml }}"), LIMIT),
    "lists compared": (_grown("['a']", "[ns.a, ns.a]", "{{ ns.a == ns.b }}"), LIMIT),
    "tuples hashed": (_grown("('a',)", "(ns.a, ns.a)", "{{ {ns.a: 1}|length }}"), LIMIT),
    "lists sorted": (_grown("['a']", "[ns.a, ns.a]", "{{ [ns.a, ns.b]|sort|length }}"), LIMIT),
    "list searched": (_grown("['a']", "[ns.a, ns.a]", "{{ ns.b in [ns.a] }}"), LIMIT),
    "many tags": ("{{ a }}{% if a %}{% endif %}" * 60000, LIMIT),
}
