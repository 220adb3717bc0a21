"""One rule a file: its docstring is the manual, `RULE` its name, `CHECK` what finds it (see `lint.check`).

In: what a check looks at (`lint.views`). Out: findings. Must not: know another rule.
"""
