"""The long jobs, one module each, on what they share: suites, seeds, progress, resume."""
