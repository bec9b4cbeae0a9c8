"""Figures and pages from result files."""
