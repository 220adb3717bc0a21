"""Reports for users and programs: text for a terminal, Markdown, one HTML page, JSON and the formats of CI systems.

In: the values of diff, review, lint, env and explain, as blocks. Out: text; one renderer for each format
writes the blocks. Must not: read files, print, know the command line, or make data markup, a terminal's command
or an invisible character.
"""
