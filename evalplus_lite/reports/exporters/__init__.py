"""Suites and results in the formats of other tools."""
