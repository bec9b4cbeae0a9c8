"""Audits of other verifiers with right, wrong, late, odd and cheating programs.

``programs.toml`` is the versioned set of programs; ``host.py`` runs in a separate process, which
may be killed, and calls the verifier as its users do.
"""
