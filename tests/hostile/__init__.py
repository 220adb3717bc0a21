"""Hostile input: a clear error within bounded time and memory, and no byte of what must not be read."""
