"""A backend on Ray: the same items, dealt by chunks to an actor on each node of a cluster.

An actor holds the supervisors of its node (``node``), which end with it, however it ends. What is
staged goes to a node once, through Ray's object store; items and rows travel as packed bytes. What
an actor that is lost had not answered is done again elsewhere, one by one, so that an item that
ends actors is found and takes no other with it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.execution import dispatch, members
from evalplus_lite.execution.processes import MOST_HELD, Processes, Workforce
from evalplus_lite.sandbox import SandboxConfig


class Cluster(Processes):
    """A ``Backend`` on the nodes of a Ray cluster; a context manager, safe for threads.

    ``address`` is Ray's (``ray://host:port``, ``host:port``); "" is the cluster of RAY_ADDRESS or
    of this machine, and where there is none one that ends with this process. ``require_tier``
    leaves out nodes whose sandboxes are weaker; ``tier`` is the weakest of those that work.
    """

    lookahead = members.LOOKAHEAD

    def __init__(
        self,
        address: str = "",
        config: SandboxConfig = SandboxConfig(),  # noqa: B008 - frozen
        *,
        require_tier: str | None = None,
        preload: Sequence[str] = (),
    ) -> None:
        self._there = 1
        super().__init__(1, config, preload=preload)
        self.address, self.require_tier = address, require_tier
        if require_tier is not None and require_tier not in dispatch.STRENGTH:
            raise InputError(
                f"there is no tier {require_tier!r}",
                remedy=f"give one of {', '.join(dispatch.STRENGTH)}",
            )

    def _hired(self, stage: int) -> Workforce:
        connect(self.address)
        self.workers = max(1, int(members.library().cluster_resources().get("CPU", 1)))
        return dispatch.RayCrew(self.config, stage, self.preload, self.require_tier)

    @property
    def workers(self) -> int:
        """The processors of the cluster when it was first asked for, or of the nodes at work."""
        crew = self._crew
        return max(self._there, crew.workers if isinstance(crew, dispatch.RayCrew) else 0)

    @workers.setter
    def workers(self, count: int) -> None:
        self._there = count

    @property
    def most_held(self) -> int:
        """Bytes of items and rows that may wait: more workers do more while one is slow."""
        return max(MOST_HELD, members.HELD * self.workers)

    @property
    def tier(self) -> str:
        """The weakest tier of the nodes that work; SandboxUnavailable if none can."""
        crew = self._at_work()
        assert isinstance(crew, dispatch.RayCrew)
        crew.tier_known.wait()
        return crew.tier


def connect(address: str) -> None:
    """Connect this process to a cluster, unless it is; InputError if there is none there."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = members.library()
    if ray.is_initialized():
        there = ray.get_runtime_context().gcs_address
        if address and not address.startswith("ray://") and address != there:
            raise InputError(
                f"this process is connected to the Ray cluster at {there}, not {address}",
                remedy="use one cluster a process",
            )
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address:
            ray.init(address=address, **options)
            return
        with contextlib.suppress(ConnectionError):
            ray.init(address="auto", **options)
            return
        ray.init(include_dashboard=False, **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        text = " ".join(str(error).split())[:200]
        raise InputError(
            f"no Ray cluster at {address or 'this machine'}: {text}",
            remedy="start one (`ray start --head`), or give its address",
        ) from None
