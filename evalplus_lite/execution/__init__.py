"""Where work runs: the protocol of a backend, and backends on one machine."""
