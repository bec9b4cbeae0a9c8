"""Judging for others: an HTTP server, adapters for trainers and harnesses, audits of verifiers."""
