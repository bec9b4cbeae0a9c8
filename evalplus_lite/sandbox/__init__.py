"""Running untrusted code: supervisor, worker, child, limits, probes."""

from evalplus_lite.sandbox.attempt import Observer
from evalplus_lite.sandbox.frames import Expected
from evalplus_lite.sandbox.limits import (
    PRESETS,
    Inputs,
    Limits,
    Preset,
    Program,
    SandboxConfig,
    preset,
)
from evalplus_lite.sandbox.sandbox import Run, Sandbox
from evalplus_lite.sandbox.timer import More

__all__ = [
    "PRESETS",
    "Expected",
    "Inputs",
    "Limits",
    "More",
    "Observer",
    "Preset",
    "Program",
    "Run",
    "Sandbox",
    "SandboxConfig",
    "preset",
]
