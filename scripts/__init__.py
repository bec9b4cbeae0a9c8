"""Commands for those who work on the project itself; nothing here is installed."""
