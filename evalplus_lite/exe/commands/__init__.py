"""Commands for execution tasks."""

LIST = """
Execution tasks from packages
exe: Mine execution tasks from packages, ask models about them, and score the answers.
"""
"""The commands by panel; see ``cli.app``."""
