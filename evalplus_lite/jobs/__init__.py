"""The jobs, resumable functions that commands and Python call, and what they share."""
