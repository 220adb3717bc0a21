"""Compares two trees, base and head, and reviews the change from one to the other.

`compare_trees` (for `diff`) goes unit by unit: `compare_unit` compiles base and head together, runs the checks of
`lint`, and `diff` finds what differs. `review_trees` (for `review` and `lint --since`) adds `updates`, the findings
about rejected updates, and removes the findings that the base has, too. `verdict` gives each job its impact, and the
whole its verdict; `result` has the values for reports.

In: the documents of both trees, build unit by build unit. Out: `Report` or `Review`. Must not: read files, write text.
"""
