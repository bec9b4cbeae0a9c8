"""Mined tasks as data, and longer tasks made of them."""
