"""Reports as people and programs read them: text for a terminal, Markdown, one HTML page, JSON.

In: a `diff.told.Report`, in `lint` a `LintReport`. Out: a text. Must not: read files, print, know the command line, or
let data become markup, a terminal's command or an invisible character.
"""
