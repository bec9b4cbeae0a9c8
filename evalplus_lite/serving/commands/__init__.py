"""The commands of the serving wing."""

LIST = """
Judge programs
serve: Judge programs for trainers and harnesses, over HTTP.
audit-verifier: Ask any verifier about right, wrong, late, odd and cheating programs.
"""
"""The commands by panel; see ``cli.app``."""
