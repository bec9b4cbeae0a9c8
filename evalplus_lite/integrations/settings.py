"""What a judge is made by: the environment, as trainers start their workers themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.sandbox import Tier
from evalplus_lite.types import VERDICTS

PREFIX = "EVALPLUS_LITE_"
REWARDS = ("passed", "share")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How answers are judged, and what they earn.

    ``datasets`` are names or files whose tasks are known by id; ``url`` is a server's, with its
    ``token``, instead of sandboxes here; ``workers``, ``limits``, ``sandbox`` and ``store`` are as
    for ``Verifier``. ``reward`` is ``passed`` (1 for all tests, else 0) or ``share`` (the part of
    all tests that were passed); ``penalties`` are taken off it, by the name of the verdict.
    """

    datasets: tuple[str, ...] = ()
    url: str = ""
    token: str = ""
    workers: int | None = None
    limits: str = "default"
    sandbox: Tier = "auto"
    store: str | None = None
    reward: str = "passed"
    penalties: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.reward not in REWARDS:
            raise InputError(f"reward is {self.reward!r}", remedy=one_of(self.reward, REWARDS))
        for name in self.penalties:
            if name not in VERDICTS:
                raise InputError(f"no verdict is named {name!r}", remedy=one_of(name, VERDICTS))

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> JudgeSettings:
        """Return what ``EVALPLUS_LITE_DATASET``, ``_URL``, ``_TOKEN``, ``_WORKERS``, ``_LIMITS``,
        ``_SANDBOX``, ``_STORE``, ``_REWARD`` and ``_PENALTIES`` (``timeout=0.1,error=0.2``) say;
        several data sets are divided by a colon."""
        known = {key: environ.get(PREFIX + key.upper(), "") for key in cls.__slots__}
        try:
            penalties = {
                name.strip(): float(number)
                for name, _, number in (
                    each.partition("=") for each in filter(None, known["penalties"].split(","))
                )
            }
            workers = int(known["workers"]) if known["workers"] else None
        except ValueError:
            raise InputError(
                f"{PREFIX}WORKERS or {PREFIX}PENALTIES holds no number",
                remedy="such as 8, and timeout=0.1,error=0.2",
            ) from None
        return cls(
            datasets=tuple(filter(None, environ.get(PREFIX + "DATASET", "").split(os.pathsep))),
            url=known["url"],
            token=known["token"],
            workers=workers,
            limits=known["limits"] or "default",
            sandbox=known["sandbox"] or "auto",  # type: ignore[arg-type] # checked where it is used
            store=known["store"] or None,
            reward=known["reward"] or "passed",
            penalties=penalties,
        )
