"""Reproducible figures and tables for papers, drawn from result files only, in one style."""
