"""Measurements of a program, from its source and from its runs."""
