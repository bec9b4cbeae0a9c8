"""Which form the input texts of a task have: the one that it states, or what examples show."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.texts.forms import TextForm
from evalplus_lite.texts.grammar import form_of
from evalplus_lite.texts.inference import inferred
from evalplus_lite.texts.parts import Unfit
from evalplus_lite.texts.templates import Templates
from evalplus_lite.types import Case, Task, Value


def text_form(task: Task, examples: Sequence[Case]) -> TextForm | None:
    """Return the form of a task's input texts, None if its inputs are not single texts.

    Raises ``GrammarError`` for a grammar that cannot be read, ``Unfit`` for an example that is not
    of it.
    """
    texts = [case.arguments[0] for case in examples if len(case.arguments) == 1]
    if task.harness.kind != "script" or not texts or len(texts) < len(examples):
        return None
    if not all(type(text) is str for text in texts):
        return None
    if not task.grammar:
        return inferred(texts) or Templates(texts)
    form = form_of(task.grammar)
    for text in texts:
        form.parse(text)
    return form


def values_of(form: TextForm, cases: Sequence[Case]) -> list[tuple[Value, ...]] | None:
    """Return the values of all the cases' texts, None if one is not of the form."""
    try:
        return [form.parse(case.arguments[0]) for case in cases]
    except (Unfit, IndexError, AttributeError):
        return None
