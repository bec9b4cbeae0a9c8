"""Parts of strings that operators cut out or put in: stretches, characters, tokens, numerals."""

from __future__ import annotations

from evalplus_lite.generate.domains.string_patterns import token_kind
from evalplus_lite.generate.operators.registry import MutationContext, below, pick


def span(size: int, context: MutationContext) -> tuple[int, int]:
    """Return the ends of a non-empty stretch, short ones preferred; the size is at least 1."""
    start = below(context, size)
    max_size = size - start
    if context.random() < 0.6:
        max_size = min(max_size, 2)
    return start, start + 1 + below(context, max_size)


def character(context: MutationContext) -> str:
    """Return a character, mostly one that was seen here."""
    characters = context.seen_characters if context.random() < 0.8 else context.characters
    return str(pick(context, characters))


def another(token: str, context: MutationContext) -> str:
    """Return a different token of the same kind; other characters are repeated or kept."""
    kind = token_kind(token)
    if kind == "digits":
        return str(numeral(token, context))
    if kind == "letters":
        characters = [each for each in context.seen_characters if each.isalpha()] or list("abxyz")
        size = 1 + below(context, 6) if context.random() < 0.5 else len(token)
        if size == 1:
            return str(pick(context, [*characters, "x"]))
        return "".join([str(pick(context, characters)) for _ in range(size)])
    if kind == "blanks":
        return (
            token[: 1 + below(context, len(token))] if context.random() < 0.5 else token + token[-1]
        )
    return token


def numeral(token: str, context: MutationContext) -> str:
    """Return another numeral: stepped, of another size, a landmark, or a constant."""
    if len(token) > 18:
        return token[:-1]
    way, number = below(context, 6), int(token)
    if way == 0:
        number += 1
    elif way == 1:
        number = max(0, number - 1)
    elif way == 2:
        number = below(context, 10 ** (1 + below(context, 4)))
    elif way == 3:
        number = int(pick(context, (0, 1, 9, 10, 99, 100, 12, 31)))
    else:
        constant = context.constant(int)
        number = number if constant is None else abs(constant)
    keeps_width = context.random() < (0.9 if context.has_common_pattern else 0.5)
    return str(number).zfill(len(token)) if keeps_width else str(number)
