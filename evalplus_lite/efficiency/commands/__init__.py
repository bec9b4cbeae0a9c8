"""The command of the efficiency wing."""

LIST = """
Judge programs
efficiency: Rank models by the work that their right programs do as inputs grow.
"""
"""The commands by panel; see ``cli.app``."""
