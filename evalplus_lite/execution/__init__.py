"""Execution backends: the protocol of a backend, and backends on one machine or a Ray cluster."""
