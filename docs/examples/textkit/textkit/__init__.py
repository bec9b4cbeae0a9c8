"""Small helpers for texts: a package to mine, in the form that real ones have."""

from textkit.spans import longest_run, overlap
from textkit.words import abbreviate, title_case

__all__ = ["abbreviate", "longest_run", "overlap", "title_case"]
