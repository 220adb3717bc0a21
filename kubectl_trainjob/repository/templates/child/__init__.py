"""The process that renders templates: `server` waits for requests, `rendering` answers one in a limited process.

In: frames with a template, its context and the limits. Out: frames with the rendered text and the template's line of
each rendered line, or one `RenderingError`. Must not: open a file, or use state of the process that started it. Only
these modules import Jinja2.
"""
