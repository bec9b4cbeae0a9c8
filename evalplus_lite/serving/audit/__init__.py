"""Asking other verifiers: right, wrong, late, odd and cheating programs, and what is said of them.

``programs.toml`` is the set, of one version; ``host.py`` runs in a process of its own, that may be
killed, and speaks to the verifier as its users do.
"""
