"""Hold contracts that a model drafted against those written by hand, on generated inputs.

    python -m scripts.benchmarks.drafts --replay data/recorded/MODEL/contracts.jsonl.gz

For each HumanEval task with a recorded draft, inputs of the types seen are proposed from its base
inputs. *too narrow*: of the inputs that the contract accepts, the share that the draft rejects;
*too wide*: of those that it rejects, the share that the draft accepts. *matches*: tasks on which
both judge every input alike. The last row are constraints inferred as if there were no contract.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evalplus_lite.execution.processes import Processes
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.jobs.contract_drafts import suggest
from evalplus_lite.jobs.seeds import refusals
from evalplus_lite.models import Replay
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.published.base_cases import with_base_cases
from evalplus_lite.types import Case, Task
from scripts.benchmarks.figures import Row, Table, arguments

PROPOSED = 300


@dataclass
class Agreement:
    """How one way to say which inputs are valid agrees with contracts, over tasks."""

    name: str
    tasks: int = 0
    usable: int = 0
    matches: int = 0
    shares: dict[bool, list[float]] = field(default_factory=lambda: {True: [], False: []})

    def add(self, contract: Sequence[bool], other: Sequence[bool]) -> None:
        """Count one task: whether each input is accepted."""
        self.usable += 1
        self.matches += list(contract) == list(other)
        for is_valid, shares in self.shares.items():
            judged = [
                mine for theirs, mine in zip(contract, other, strict=True) if theirs is is_valid
            ]
            if judged:
                shares.append(sum(mine is not is_valid for mine in judged) / len(judged))

    def row(self) -> Row:
        """Return the row of the table."""
        narrow, wide = (100 * sum(each) / max(1, len(each)) for each in self.shares.values())
        return {
            "": self.name,
            "tasks": self.tasks,
            "usable": self.usable,
            "matches": self.matches,
            "too narrow, %": f"{narrow:.1f}",
            "too wide, %": f"{wide:.1f} ({len(self.shares[False])} tasks)",
        }


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    parser.add_argument("--replay", type=Path, required=True, help="recorded drafts")
    options = parser.parse_args()
    drafted, inferred = Agreement("drafted by the model"), Agreement("inferred from examples")
    source = Replay(options.replay)
    with Processes(1) as pool:
        for task in with_base_cases(load_dataset("humaneval"), pool).tasks:
            assert task.contract is not None
            draft = suggest(pool, replace(task, contract=None), source)
            if "no reply recorded" in draft.problem and not draft.turns:
                continue  # it was not asked for
            cases = proposals(task)
            contract = [why is None for why in refusals(pool, task.contract, cases)]
            drafted.tasks += 1
            inferred.tasks += 1
            if draft.text is not None:
                drafted.add(contract, [why is None for why in refusals(pool, draft.text, cases)])
            input_filter = InputFilter.of_task(replace(task, contract=None))
            inferred.add(contract, [input_filter.admits(case.arguments) for case in cases])
    table = Table()
    for each in (drafted, inferred):
        table.add(each.row())
    table.save(options.record, proposed=PROPOSED)


def proposals(task: Task) -> list[Case]:
    """Return inputs of the types that a task's base inputs have, valid or not."""
    input_filter = InputFilter.typed([case.arguments for case in task.base])
    rng = random.Random(f"drafts:{task.id}")
    return Generator(task.base, input_filter=input_filter, rng=rng).propose(PROPOSED)


if __name__ == "__main__":
    main()
