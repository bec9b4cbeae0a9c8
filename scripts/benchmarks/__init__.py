"""Measurements of the project, beside others and beside what is possible at all.

Each module is a command: ``python -m scripts.benchmarks.evaluate --help``, from a checkout. Figures
go as JSON to ``docs/measurements``, from which ``python -m scripts.benchmarks.render`` makes the
tables in the documents.
"""
