"""Execution tasks from real packages: select, inline, prove, generate inputs, predict, score."""
