"""The commands of the reports wing."""
