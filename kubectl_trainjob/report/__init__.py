"""Reports for people and programs: text for a terminal, Markdown, one HTML page, JSON and the formats of CI systems.

Each subject (diff, review, lint, env, explain) turns its values into blocks, and the renderers of text, Markdown and
HTML write blocks. Must not: read files, print, know the command line, or let data become markup, a terminal's command
or an invisible character.
"""
