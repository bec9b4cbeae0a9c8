"""Execution backends: supervisor processes on one machine, or on the nodes of a Ray cluster."""
