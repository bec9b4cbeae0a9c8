"""The commands of the reports wing."""

LIST = """
Start here
demo: Build a benchmark, rank real models on it, and shrink it.
Build test suites
export: Write suites or results in the formats of other tools.
Look at results
compare: Compare or rank models by their results, with intervals and exact tests.
why: Explain why two harnesses score the same samples differently.
report: Show results as one HTML file: who is best, every task, every sample and why it fails.
figures: Draw figures and make tables for a paper from results.
"""
"""The commands by panel; see ``cli.app``."""
