"""Makes inputs from a seed: one module a family of topics, each topic a function of a random generator."""
