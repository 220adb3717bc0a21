"""Jinja2 templates (`*.j2`) to YAML text, with a way back to each template's lines.

In: a template's `SourceFile` and a context of plain JSON data (the overlay's values and facts). Out: a made
`SourceFile`, or one `Diagnostic` at the template's line. Must not: run a template in this process, or give it files,
environment variables, a clock or random numbers. `render` is the way in; `child` is what the other process runs,
`protocol` what the two say to each other.
"""
