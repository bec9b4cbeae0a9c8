"""The command of the efficiency wing."""

LIST = """
Judge programs
efficiency: Rank models by the work of their right programs on growing inputs.
"""
"""The commands by panel; see ``cli.app``."""
