"""One check a file (see `lint.check`); the rule is in `model.rules`, its manual in `lint/manual`.

In: what a check looks at (`lint.views`). Out: findings. Must not: know another rule.
"""
