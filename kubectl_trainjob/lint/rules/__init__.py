"""One check a file (see `lint.check`); the rule is in `model.rules`, its manual in `lint/manual`.

In: a view of what is checked (`lint.views`). Out: hits. Must not: know another rule.
"""
