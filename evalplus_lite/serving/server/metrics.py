"""Metrics of a server, in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Counters and gauges of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        count = partial(Counter, registry=self.registry)
        self.requests = count(
            "evalplus_lite_requests", "Requests by endpoint and status.", ["endpoint", "status"]
        )
        self.latency = Histogram(
            "evalplus_lite_request_seconds",
            "Time from the whole request to the beginning of its answer.",
            ["endpoint"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._verdicts = count(
            "evalplus_lite_verdicts",
            "Verdicts by name; errors by kind.",
            ["verdict"],
        )
        self.runs = count("evalplus_lite_runs", "Plain runs by how they ended.", ["ended"])
        self._stored = count("evalplus_lite_store_hits", "Verdicts from the store.")
        self.cpu = count(
            "evalplus_lite_program_cpu_seconds", "CPU time of the programs that were judged."
        )

    def gauge(self, name: str, help: str, value: Callable[[], float]) -> None:
        """Add a gauge, whose value is read on each scrape."""
        found = Gauge(f"evalplus_lite_{name}", help, registry=self.registry)
        found.set_function(value)

    def verdict(self, name: str, *, cpu: float = 0.0, is_stored: bool = False) -> None:
        """Count a verdict, or the error that replaces it."""
        self._verdicts.labels(name).inc()
        if is_stored:
            self._stored.inc()
        else:
            self.cpu.inc(cpu)

    def text(self) -> bytes:
        """Return all metrics as text."""
        return generate_latest(self.registry)
