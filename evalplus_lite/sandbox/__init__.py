"""Running untrusted code: supervisor, worker, child, limits, probes."""

from evalplus_lite.sandbox.attempt import Observer
from evalplus_lite.sandbox.frames import Expected
from evalplus_lite.sandbox.isolation.config import TIERS, SandboxConfig, Tier, config_of
from evalplus_lite.sandbox.limits import PRESETS, Inputs, Limits, Preset, Program, preset
from evalplus_lite.sandbox.sandbox import ProgramRun, Sandbox
from evalplus_lite.sandbox.timer import RaiseLimit

__all__ = [
    "PRESETS",
    "TIERS",
    "Expected",
    "Inputs",
    "Limits",
    "Observer",
    "Preset",
    "Program",
    "ProgramRun",
    "RaiseLimit",
    "Sandbox",
    "SandboxConfig",
    "Tier",
    "config_of",
    "preset",
]
