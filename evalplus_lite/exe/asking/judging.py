"""A language model as judge of whether two exceptions' messages say the same."""

from __future__ import annotations

import re
from collections.abc import Callable

from evalplus_lite.errors import LLMError
from evalplus_lite.models import Message, ModelSource, Request
from evalplus_lite.models.json_form import shorten

JUDGE = """Two messages of one kind of Python exception ({kind}) follow. Do they report the same \
problem? Keep in mind: versions of Python word one error with more or less detail; the cause may \
be put more or less helpfully; hints and suggestions added to a message change nothing; line \
numbers and file paths do not matter.

<first>
{first}
</first>
<second>
{second}
</second>

Would an experienced Python developer call them the same error? Answer True or False only."""

SameMessage = Callable[[str, str, str], bool]
"""Whether two messages of an exception's type, the true and the predicted one, say the same."""
MOST_FAILURES = 3


def judge_by(source: ModelSource) -> SameMessage:
    """Return a judge of exception messages that asks a language model for True or False.

    The texts are data to it. Each question is asked once, and after ``MOST_FAILURES`` failures in a
    row no more are. Raises LLMError for a question without an answer, or with one that begins with
    neither word.
    """
    known: dict[tuple[str, str, str], bool | LLMError] = {}
    failures = 0

    def ask(kind: str, true: str, predicted: str) -> bool:
        text = JUDGE.format(kind=kind, first=true[:2000], second=predicted[:2000])
        request = Request(
            model=source.model, messages=(Message("user", text),), temperature=0.0, max_tokens=16
        )
        said = source.ask(request, cut_off="keep").text
        word = re.match(r"\W*(true|false)\b", said, re.IGNORECASE)
        if word is None:
            raise LLMError(f"the judge said neither True nor False: {shorten(said)}")
        return word[1].lower() == "true"

    def judge(kind: str, true: str, predicted: str) -> bool:
        nonlocal failures
        question = (kind, true, predicted)
        if question not in known:
            if failures >= MOST_FAILURES:
                raise LLMError("not asked, as the judge failed several times in a row")
            try:
                known[question] = ask(*question)
                failures = 0
            except LLMError as error:
                known[question] = error
                failures += 1
        found = known[question]
        if isinstance(found, LLMError):
            raise found
        return found

    return judge
