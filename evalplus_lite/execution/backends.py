"""Backends by their names, as options give them."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.errors import InputError
from evalplus_lite.execution.processes import Processes
from evalplus_lite.sandbox import SandboxConfig

DEFAULT = "processes"


def make_backend(
    name: str = DEFAULT,
    workers: int | None = None,
    config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
    *,
    require_tier: str | None = None,
    preload: Sequence[str] = (),
) -> Processes:
    """Return an unopened backend.

    ``processes`` runs on this machine; ``ray`` uses the Ray cluster at RAY_ADDRESS, or starts one
    here; ``ray:HOST:PORT`` and ``ray://HOST:PORT`` name a cluster. ``workers`` and ``require_tier``
    apply to both. InputError explains a mismatch.
    """
    if name == DEFAULT:
        if require_tier is not None:
            raise InputError(
                "a required tier is for the backend ray", remedy=f"give --sandbox {require_tier}"
            )
        return Processes(workers, config, preload=preload)
    if not isinstance(name, str) or (name != "ray" and not name.startswith("ray:")):
        raise InputError(
            f"unknown backend {name!r}",
            remedy="give processes, ray, ray:HOST:PORT or ray://HOST:PORT",
        )
    if workers is not None:
        raise InputError(
            "the backend ray has as many workers as its nodes have processors",
            remedy="leave --workers out",
        )
    from evalplus_lite.execution.ray_cluster import Cluster

    address = name if name.startswith("ray://") else name.removeprefix("ray").removeprefix(":")
    return Cluster(address, config, require_tier=require_tier, preload=preload)
