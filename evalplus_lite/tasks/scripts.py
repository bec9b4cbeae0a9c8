"""What tasks of whole programs state besides: the form of their input texts, or what makes them."""

from __future__ import annotations

from dataclasses import replace

from evalplus_lite.programs import definitions
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.texts.grammar import GrammarError, form_of
from evalplus_lite.texts.parts import Unfit
from evalplus_lite.types import Task

MAKING = ("grammar", "generator")
"""The keys of a task that say how its input texts are made."""


def having_texts(fields: Fields, task: Task) -> Task:
    """Return a task with the ``MAKING`` of its row, checked; InputError if it cannot be used."""
    stated = {key: fields.text(key, default="") for key in MAKING}
    if task.harness.kind != "script":
        given = next((key for key, text in stated.items() if text), None)
        if given:
            raise fields.refuse(f"{given!r} is for tasks whose harness is script")
        return task
    for position, case in enumerate(task.base, 1):
        if not all(type(each) is str for each in case.arguments) or not case.arguments:
            raise fields.refuse(f"inputs, number {position}: a script's input is one text")
    if stated["generator"]:
        tree = definitions.parse(stated["generator"])
        if tree is None or not definitions.defines(tree, "generate"):
            raise fields.refuse(
                "generator is not a program that defines `generate`",
                remedy="def generate(seed, scale): ... return text",
            )
    if stated["grammar"]:
        _check(fields, stated["grammar"], task)
    return replace(task, grammar=stated["grammar"], generator=stated["generator"])


def _check(fields: Fields, grammar: str, task: Task) -> None:
    try:
        form = form_of(grammar)
    except GrammarError as error:
        raise fields.refuse(f"grammar: {error}", remedy="see docs/guide/harnesses.md") from None
    for position, case in enumerate(task.base, 1):
        try:
            form.parse(case.arguments[0])
        except Unfit as error:
            raise fields.refuse(
                f"inputs, number {position} is not of the grammar: {error}",
                remedy="one of the two is to be mended",
            ) from None
