"""Jinja2 templates (`*.j2`) to YAML text, with a way back to each template's lines.

In: a template's `SourceFile` and a context of plain JSON data (the overlay's values and facts). Out: a generated
`SourceFile`, or one `Diagnostic` at the template's line. Must not: run a template in this process, or give it files,
environment variables, a clock or random numbers. `render` is the entry; the other process runs `child`, and `protocol`
has their messages.
"""
