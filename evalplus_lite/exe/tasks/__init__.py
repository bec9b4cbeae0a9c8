"""Mined tasks as data, and longer tasks composed from them."""
