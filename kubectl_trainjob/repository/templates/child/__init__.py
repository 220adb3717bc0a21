"""The process that renders templates: `server` waits for requests, `rendering` answers one in a limited process.

In: frames with a template's text, its context and the limits. Out: frames with the rendered text and the template's
line of each rendered line, or one `wire.Problem`. Must not: open a file, or hold anything of the process that started
it. Jinja2 is imported here and nowhere else.
"""
