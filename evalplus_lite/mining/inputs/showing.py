"""What a program's text tells its reader: answers given away, characters that it has no use for."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from evalplus_lite.mining.running.runs import CallResult, Invocation
from evalplus_lite.types import Value
from evalplus_lite.values.source import literal

MAX_LOOKED_FOR = 2000
"""Characters of a value's text beyond which no docstring holds it."""
_ASKING = re.compile(
    r"[^\x00-\x7f]|\\[uUN]|\\x[89a-fA-F]|\bord\(|\bchr\(|unicodedata|encode|decode|codecs"
    r"|casefold|\.is(?:alpha|alnum|ascii|decimal|digit|identifier|numeric|printable|space)\("
)
"""What in a program speaks of characters beyond ASCII."""
_NO_TEXT, _NO_CHARACTER = frozenset({"Cc", "Cf"}), frozenset({"Cn", "Co", "Cs"})
_LAYOUT = "\t\n\r"


@dataclass(frozen=True, slots=True)
class ShownProgram:
    """The documentation in a program's text, and whether it is about more than plain characters."""

    documentation: str
    asks_for_more: bool

    @classmethod
    def of(cls, code: str) -> ShownProgram:
        """Read a program that parses: its docstrings, other idle strings, and comments."""
        idle = [
            node.value.value
            for node in ast.walk(ast.parse(code))
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ]
        comments: list[str] = []
        try:
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                if token.type == tokenize.COMMENT:
                    comments.append(token.string)
        except tokenize.TokenError:
            pass
        documentation = "\n".join([*idle, *comments])
        for text in (*idle, *comments):
            code = code.replace(text, "")
        return cls(documentation, _ASKING.search(code) is not None)

    def gives_away(self, call: Invocation, answer: CallResult) -> bool:
        """Say whether the documentation holds every argument of a call, and its answer."""
        if not self.documentation:
            return False
        if answer.kind == "error":
            told = answer.type in self.documentation and answer.message in self.documentation
        else:
            told = self._holds(answer.value)
        return told and all(map(self._holds, (*call.args, *call.kwargs.values())))

    def _holds(self, value: Value) -> bool:
        try:
            text = literal(value, quote=repr)
        except (ValueError, RecursionError):  # more digits, or depth, than Python writes
            return False
        if len(text) > MAX_LOOKED_FOR:
            return False
        forms = {text, text.replace("'", '"')}
        if isinstance(value, str) and len(value) > 2:
            forms.add(value)
        return any(
            re.search(rf"(?<![\w.]){re.escape(form)}(?!\w|\.\d)", self.documentation)
            for form in forms
        )

    def oddity(self, call: Invocation) -> float:
        """Return how little a call's characters have to do with the program: 0 for plain ones."""
        found = 0.0
        for character in {each for text in _texts([*call.args, call.kwargs]) for each in text}:
            if character < "\x7f" and (character >= " " or character in _LAYOUT):
                continue
            category = unicodedata.category(character)
            if category in _NO_CHARACTER:
                found = max(found, 3.0 if self.asks_for_more else 8.0)
            elif not self.asks_for_more:
                found = max(found, 6.0 if category in _NO_TEXT else 1.5)
        return found


def _texts(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _texts(key)
            yield from _texts(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _texts(each)
