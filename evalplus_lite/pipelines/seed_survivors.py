"""Seeds that a model gives to tell survivors from the reference: it sees what a suite lets pass."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.execution.base import Backend, Call, Row
from evalplus_lite.llm import CutOffError, ModelSource, NotRecordedError, RefusalError
from evalplus_lite.pipelines.rivals import spread
from evalplus_lite.pipelines.work.staging import Staging, case_rows
from evalplus_lite.prompting.json_answer import read_answer
from evalplus_lite.prompting.json_form import InputForm
from evalplus_lite.prompting.seeds import Valid
from evalplus_lite.prompting.survivors import INPUTS, distinguishing_prompt
from evalplus_lite.types import Case, Task
from evalplus_lite.values import identity


def from_survivors(
    backend: Backend,
    staging: Staging,
    task: Task,
    source: ModelSource,
    *,
    seeds: Sequence[Case],
    valid: Valid,
    seed: int,
    count: int,
) -> list[Case]:
    """Return valid new inputs by which a model tells ``count`` survivors from the reference.

    Survivors are those of a small suite made of ``seeds`` and of ``seed``, without the model. An
    answer without inputs gives none. Raises LLMError where the server cannot be used.
    """
    call = Call("evalplus_lite.pipelines.work.survivors:surviving", seed)
    item = (staging.ref(task), case_rows(seeds))
    diffs = backend.submit(call, item, then=_texts).result()
    form = InputForm.of(task)
    seen = {identity.key(case.arguments) for case in (*task.base, *seeds)}
    found = []
    for diff in spread(diffs, count):
        request = distinguishing_prompt(task, form, diff, model=source.model)
        try:
            text = source.ask(request, cut_off="keep").text
        except (RefusalError, CutOffError, NotRecordedError):
            continue
        inputs = read_answer(text, form, entry_point=task.entry_point).inputs[: 2 * INPUTS]
        for arguments, reason in zip(inputs, valid(inputs), strict=True):
            if reason is None and (key := identity.key(arguments)) not in seen:
                seen.add(key)
                found.append(Case(arguments, "llm", None, ("survivor",)))
    return found


def _texts(row: Row) -> list[str]:
    return [str(each) for each in row]
