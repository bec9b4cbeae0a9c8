"""The commands of the serving wing."""
