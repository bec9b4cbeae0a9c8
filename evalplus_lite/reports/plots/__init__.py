"""Figures and tables for papers: drawn from result files alone, in one style, as the same bytes."""
