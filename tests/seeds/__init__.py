"""Runtimes and jobs as Trainer's guides of the 2.0 and 2.1 days show them, built for each release."""
