"""A seeded fuzzer that knows the structure of repositories: see `tests.fuzz.__main__`."""
