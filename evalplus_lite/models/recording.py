"""A model's recorded replies: a folder that provides samples and seeds without a server.

The folder has ``plan.json`` (the model and its settings), ``samples.jsonl.gz`` and
``seeds.jsonl.gz``; each row of these is one exchange with its key, parameters and date.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from evalplus_lite import store
from evalplus_lite.errors import InputError
from evalplus_lite.models import Replay
from evalplus_lite.models.completions import Sampling
from evalplus_lite.models.seeds import SeedPlan

PLAN, SAMPLES, SEEDS = "plan.json", "samples.jsonl.gz", "seeds.jsonl.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The settings of a recording of a data set, so that a replay can repeat its exact requests.

    ``missing`` lists tasks without a complete set of samples; ``origin`` names the weights, their
    SHA-256, license and server.
    """

    model: str
    dataset: str
    sampling: Sampling
    seeds: SeedPlan
    seed: int = 0
    missing: tuple[str, ...] = ()
    origin: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Recording:
        """Read the plan in a folder; raise InputError if there is none."""
        path = Path(folder) / PLAN
        plan = store.parse_json(store.read_text(path), path=path)
        try:
            sampling, seeds = dict(plan["sampling"]), dict(plan["seeds"])
            sampling["temperatures"] = tuple(sampling["temperatures"])
            sampling["stop"] = None if sampling["stop"] is None else tuple(sampling["stop"])
            seeds["aims"] = tuple(seeds["aims"])
            return cls(
                model=plan["model"],
                dataset=plan["dataset"],
                sampling=Sampling(**sampling),
                seeds=SeedPlan(**seeds),
                seed=plan["seed"],
                missing=tuple(plan.get("missing", ())),
                origin=dict(plan.get("origin", {})),
            )
        except (KeyError, TypeError) as error:
            raise InputError(
                f"is not a plan of recorded replies: {type(error).__name__}: {error}",
                path=path,
                remedy="record again",
            ) from None

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the plan to a folder."""
        store.write_text(Path(folder) / PLAN, store.dump_row(asdict(self)) + "\n")


def replay_samples(folder: str | os.PathLike[str]) -> Replay:
    """Return the source that answers ``generate`` with a folder's recorded samples."""
    return Replay(Path(folder) / SAMPLES)


def replay_seeds(folder: str | os.PathLike[str]) -> Replay:
    """Return the source that answers ``llm_seeds`` with a folder's recorded seeds."""
    return Replay(Path(folder) / SEEDS)
