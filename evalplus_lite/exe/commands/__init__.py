"""The commands of execution tasks."""
