"""Input texts for whole programs: their form, a generator that keeps to it, a task's own one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.adapters import AdaptedGenerator
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import Meter
from evalplus_lite.tasks.stated_constraints import StatedConstraints
from evalplus_lite.tasks.texts.drawing import SCALES, Drawing
from evalplus_lite.tasks.texts.forms import Form, TextForm, Unfit
from evalplus_lite.tasks.texts.grammar import GrammarError
from evalplus_lite.tasks.texts.inference import text_form, values_of
from evalplus_lite.tasks.texts.input_format import ConstrainedForm
from evalplus_lite.types import Case, Returned, Task, Value
from evalplus_lite.values import wire

MOST_RANDOM = 120
"""Inputs drawn at random from the form of a task's texts, for it to choose from."""
DRAWS = 4
"""Texts drawn at each scale."""
LIMITS = Limits(cpu=2.0, load=5.0)


@dataclass(frozen=True, slots=True)
class TextValues:
    """The values in the input text of a case: a ``Form`` for an ``AdaptedGenerator``."""

    form: TextForm

    def values(self, arguments: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """Return the values in a text; None if it does not have the form."""
        try:
            return self.form.parse(arguments[0])
        except (Unfit, IndexError, AttributeError):
            return None

    def fit(self, values: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """Return changed values made consistent with the form, or None."""
        return self.form.fit(values)

    def written(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the text of values."""
        return (self.form.render(values),)


def text_generator(
    task: Task, base: Sequence[Case], seed: str, seeds: Sequence[Case], *, doubts: bool = True
) -> AdaptedGenerator | None:
    """Return a generator of a task's input texts, None if its inputs are not single texts.

    A grammar or a contract is the only limit; without either, values stay near those of the base
    inputs.
    """
    try:
        form = text_form(task, base)
    except (GrammarError, Unfit) as error:
        raise InputError(f"{task.id}: {error}", remedy="mend its grammar or its inputs") from None
    if form is None or (values := values_of(form, base)) is None:
        return None
    constants = Constants.of_task(task)
    seen = replace(task, base=tuple(map(Case, values)))
    if task.grammar or (isinstance(form, ConstrainedForm) and form.stated.is_whole):
        input_filter = InputFilter.typed(values, choices=task.constraints)
    else:
        input_filter = InputFilter.of_task(seen, constants=constants)
    if not task.grammar and task.contract is None:
        # Names of an inferred form are not those of the text: nothing that it promises is checked.
        unchecked = StatedConstraints.read(task.prompt).kept([])
        stated = form.stated if isinstance(form, ConstrainedForm) else unchecked
        input_filter = replace(input_filter, unread=stated.unread)
    if task.generator or not doubts:  # it shows what inputs may be
        input_filter = input_filter.undoubting()
    return AdaptedGenerator(
        TextValues(form),
        base,
        input_filter=input_filter,
        rng=random.Random(seed),
        seeds=seeds,
        sampled=_random(form, base, seed),
        constants=constants,
        is_challenging=True,
        reference=(task.reference, task.entry_point),
    )


def _random(form: TextForm, base: Sequence[Case], seed: str) -> list[Case]:
    """Return inputs drawn at random from a form, small ones and large ones in turn."""
    if isinstance(form, ConstrainedForm):
        form = form.form
    if not isinstance(form, Form):
        return []
    texts = [case.arguments[0] for case in base]
    drawing = Drawing(form, texts, random.Random(f"{seed}:drawing").random)
    scales = [1 + number % SCALES for number in range(MOST_RANDOM)]
    drawn_values = [(scale, drawing.draw(scale)) for scale in scales]
    return [
        Case(values, "generator", None, (f"form, scale {scale}",))
        for scale, values in drawn_values
        if values is not None
    ]


def drawn(sandbox: Sandbox, task: Task) -> tuple[list[Case], str]:
    """Return the texts of a task's own generator, and its error if it has one."""
    if not task.generator:
        return [], ""
    pairs = [(seed, 1 + seed % SCALES) for seed in range(DRAWS * SCALES)]
    meter = Meter(sandbox, Program(task.generator, "generate"), pairs, LIMITS)
    run = meter.run(Inputs.of(pairs), judge=lambda _, outcome: isinstance(outcome, Returned))
    cases: dict[str, Case] = {}
    fault = ""
    for (seed, scale), outcome in zip(pairs, run.outcomes, strict=True):
        if outcome is None:
            continue
        text: object = None
        if isinstance(outcome, Returned):
            try:
                text = wire.decode(outcome.data, most=1)
            except CodecError:
                text = None
        if type(text) is str:
            cases.setdefault(text, Case((text,), "generator", None, (f"scale {scale}",)))
        else:
            fault = fault or f"the generator returns no text for ({seed}, {scale}): {outcome}"
    return list(cases.values()), fault
