"""A task's suite as it grows: seeds, mutation, filter, reference, until there are inputs enough.

The suite depends on (seed, task, programs) alone, so it is the same wherever it is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalplus_lite.consensus.disputes import Dispute
from evalplus_lite.consensus.panel import UNANSWERED, Panel
from evalplus_lite.grading.calls_raised import KnownRaises
from evalplus_lite.grading.demand import Bearable
from evalplus_lite.grading.oracle import Answers, answer
from evalplus_lite.grading.orders import FreeOrders
from evalplus_lite.grading.subsets import as_stress, joined, taken
from evalplus_lite.pipelines.targeting import Round, hunt
from evalplus_lite.pipelines.work.augmented import (
    Augmented,
    bounds,
    ordered,
    output_names,
    too_long,
)
from evalplus_lite.pipelines.work.beginning import base_answers, generator_of
from evalplus_lite.pipelines.work.budget import GROWTH, Budget, needed
from evalplus_lite.pipelines.work.probing import probe
from evalplus_lite.pipelines.work.text_inputs import drawn
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.contracts import shown
from evalplus_lite.tasks.row_assertions import with_stated_contract
from evalplus_lite.types import Case, Suite, Task

MOST_UNANSWERED = 10
MOST_STRESS = 40  # cases of a task that ask too much of right programs to be tests of correctness
PROBED = 12  # at most one of so many inputs was made to find out how far sizes go
SLOW = ("slow", "memory", "crashes")


class TaskAugmentation:
    """A task's suite as it grows: its base cases, then new ones, batch by batch.

    ``samples`` are programs for the task; an input on which most of those that pass the base cases
    contradict the reference is not used, but set aside for review.
    Base cases are the task's own: one that its contract rejects is kept and noted, one that the
    reference cannot answer is dropped and noted. A task without a contract has the assertions that
    its row states. Raises UnusableTask if no case is left, or if reference or contract fails.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        task: Task,
        *,
        seed: int,
        budget: Budget,
        seeds: Sequence[Case] = (),
        samples: Sequence[str] = (),
    ) -> None:
        self.sandbox, self.budget, self.seed = sandbox, budget, seed
        self.task = with_stated_contract(task)
        is_own = task.contract is not None and self.task.contract == task.contract
        base, self.notes = base_answers(sandbox, self.task)
        made, fault = drawn(sandbox, self.task)
        seeds = [*made, *seeds]
        self.notes += [fault] if fault else []
        self.suites = [base.suite]
        self.stress: list[Suite] = []
        self.tops: list[Suite] = []
        self.apart: list[Case] = []
        self.generator = generator_of(
            sandbox, self.task, base.suite.cases, seed, seeds, is_own=is_own
        )
        self.raises = KnownRaises.of(self.task, base.suite)
        self.panel = Panel.select(sandbox, self.task, base.suite, samples)
        self.orders = FreeOrders.of(sandbox, self.task, base.suite)
        self.bearable = Bearable.of(sandbox, self.task)
        self.purse = budget.purse()
        self.dropped: Counter[str] = Counter()
        self.unanswered: list[Case] = []
        self.review: list[Dispute] = []
        self.new = self.idle = self.proposed = 0
        self.size = budget.batch

    def probe(self) -> None:
        """Find out how far sizes go; keep what that answers, up to a share of the budget."""
        if not self.budget.inputs:
            return
        found = probe(
            self.sandbox,
            self.task,
            self.generator,
            self.suites[0].cases,
            purse=self.budget.purse(of_ladders=True),
        )
        self.dropped.update(found.dropped)
        if found.tops is not None:
            self.tops = [self._untied(self._handy(Answers.of(found.tops))).suite]
        most = self.budget.inputs // PROBED  # the last are the highest rungs
        count = len(found.cases.kept)
        fair = self._fair(self._handy(found.cases.only(range(max(0, count - most), count))))
        self._keep(fair.suite)

    def step(self) -> bool:
        """Propose one batch and keep what can be; say whether it is worth to go on."""
        wanted = self.budget.inputs - self.new
        if wanted <= 0 or self.idle >= self.budget.patience:
            return False
        self.generator.scales.affordable = self.purse.each
        size = min(self.size, needed(wanted, kept=self.new, of=self.proposed))
        size = min(size, self.budget.largest_batch)
        batch = self.generator.propose(size)
        if not batch:
            return False
        self.proposed += len(batch)
        answers = self._answered(batch)
        enough = range(min(wanted, len(answers.suite.cases)))
        answers = self._undisputed(replace(answers, suite=taken(answers.suite, enough)))
        slow = [drop.case for drop in answers.dropped if drop.cause in SLOW]
        # Parents are positions in the suite so far, which is how the generator counts them.
        chosen = [batch[number] for number in answers.kept]
        self._keep(replace(answers.suite, cases=tuple(chosen)), slow)
        self.idle = 0 if chosen else self.idle + 1
        self.size = self.budget.batch if slow else GROWTH * self.size
        return True

    def _keep(self, suite: Suite, slow: Sequence[Case] = ()) -> None:
        """Append answered cases, and have them built on."""
        outputs = output_names(suite)
        apart, self.apart = self.apart, []
        self.generator.feedback(suite.cases, slow=slow, apart=apart, outputs=outputs)
        self.suites.append(suite)
        self.new += len(suite.cases)

    def finish(self, wrong: Sequence[str] = ()) -> Augmented:
        """Return what there is, after the targeted rounds if the budget has them.

        ``wrong`` are programs that these aim at, besides the reference's mutants.
        """
        round = self._targeted(wrong) if self.budget.targeted else None
        suite = ordered(joined(self.suites, self._provenance(round)))
        if stress := [*self.stress, *self.tops]:
            suite = replace(suite, stress=joined(stress, {}))
        sources = Counter(case.source for case in suite.cases)
        return Augmented(
            suite,
            dict(sorted(sources.items())),
            dict(sorted((+self.dropped).items())),
            tuple(self.notes),
            tuple(self.review),
            len(self.panel.programs),
            round.aimed if round else 0,
            tuple(round.survivor_rows(self.task, suite)) if round else (),
            tuple(self.unanswered),
        )

    def _targeted(self, wrong: Sequence[str]) -> Round:
        self.purse.spent = min(self.purse.spent, self.purse.total // 2)
        round = hunt(
            self.sandbox,
            self.task,
            self.generator,
            joined(self.suites, {}),
            lambda batch: self._undisputed(self._answered(batch)),
            wrong=wrong,
            seed=self.seed,
            budget=self.budget,
        )
        self.suites += round.suites
        return round

    def _answered(self, batch: Sequence[Case]) -> Answers:
        """Return what of a batch can be kept, and note what cannot."""
        answers = answer(
            self.sandbox,
            self.task,
            batch,
            base_count=0,
            limits=Limits(cpu=self.budget.seconds, load=10.0),
            max_failures=self.budget.slow,
            purse=self.purse,
        )
        self.dropped.update(answers.causes)
        failed = [drop.case for drop in answers.dropped if drop.cause in UNANSWERED]
        self.unanswered.extend(failed[: MOST_UNANSWERED - len(self.unanswered)])
        return self._fair(self._handy(self._foreseen(answers)))

    def _foreseen(self, answers: Answers) -> Answers:
        """Return the answers without sequences of calls that raise what no base case shows."""
        places = self.raises.foreseen(answers.suite)
        self.dropped["raises"] += len(answers.kept) - len(places)
        return answers.only(places)

    def _handy(self, answers: Answers) -> Answers:
        """Return the answers without those so long that a few would be most of the suite file."""
        large = too_long(answers.suite)
        self.dropped["large"] += len(large)
        self.apart += [answers.suite.cases[at] for at in large]
        return answers.only([at for at in range(len(answers.kept)) if at not in large])

    def _fair(self, answers: Answers) -> Answers:
        """Return the answers that every right program gives, whatever its design."""
        answers = self._untied(answers)
        reasons = enumerate(self.bearable.demands(answers.suite.cases, answers.steps))
        return self._set_apart(answers, {n: reason for n, reason in reasons if reason})

    def _untied(self, answers: Answers) -> Answers:
        """Return the answers without those that another right program may give otherwise."""
        cases = answers.suite.cases
        tied = self.orders.other(self.sandbox, answers.suite)
        if tied and not self.dropped["tie"]:
            place, shown_both = min(tied.items())
            told = f"inputs with several right answers are left out: {shown_both}"
            self.notes.append(f"{told}, on input {shown(cases[place])}")
        self.dropped["tie"] += len(tied)
        return answers.only([n for n in range(len(cases)) if n not in tied])

    def _undisputed(self, answers: Answers) -> Answers:
        """Return the answers without those that most programs contradict, or that many are too
        slow for."""
        poll = self.panel.poll(self.sandbox, answers.suite, answers.dropped)
        self.review.extend(filter(None, poll.disputes))
        places = [n for n in range(len(answers.suite.cases)) if poll.disputes[n] is None]
        self.dropped["disputed"] += len(answers.suite.cases) - len(places)
        slow = {at: poll.too_slow[n] for at, n in enumerate(places) if n in poll.too_slow}
        return self._set_apart(answers.only(places), slow)

    def _set_apart(self, answers: Answers, reasons: Mapping[int, str]) -> Answers:
        """Return the answers without those at these positions, which become stress cases."""
        self.apart += [answers.suite.cases[place] for place in reasons]
        room = MOST_STRESS - sum(len(suite.cases) for suite in self.stress)
        some = as_stress(answers.suite, reasons, most=room)
        self.stress += [some] if some.cases else []
        return answers.only([n for n in range(len(answers.kept)) if n not in reasons])

    def _provenance(self, round: Round | None) -> dict[str, Any]:
        budget, found = self.budget, self.generator.input_filter.found
        is_idle, sizes = self.idle >= budget.patience, self.generator.scales.facts()
        facts: dict[str, Any] = {
            "seed": self.seed,
            "inputs": budget.inputs,
            "seconds": budget.seconds,
            "guards": [constraint.to_json() for constraint in found],
            "bounds": bounds(
                self.new, self.proposed, budget, self.dropped, is_idle, sizes, self.purse
            ),
        }
        return facts | ({"targeted": round.facts()} if round else {})
