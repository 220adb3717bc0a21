"""Text and plain data: YAML and JSON read exactly as kubectl reads them, and written for all readers.

In: the text of a file; plain data. Out: plain data (dicts with string keys, lists, scalars) with diagnostics that
have exact positions; text. Must not: open files, or know what a document means.
"""
