"""Built objects to text.

In: objects (plain data) in the order in which they are to be printed. Out: pieces of YAML or JSON text.
Must not: write files, choose or change objects.
"""
