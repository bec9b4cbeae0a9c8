"""Operators for str."""

from __future__ import annotations

from evalplus_lite.generate.domains.string_patterns import run_kind, runs
from evalplus_lite.generate.operators.registry import Family, Site, Trait, below, operator, pick


def span(size: int, site: Site) -> tuple[int, int]:
    """Return the ends of a non-empty stretch, short ones preferred; the size is at least 1."""
    start = below(site, size)
    longest = size - start
    if site.random() < 0.6:
        longest = min(longest, 2)
    return start, start + 1 + below(site, longest)


def _letter(site: Site) -> str:
    """Return a character, mostly one that was seen here."""
    letters = site.seen_letters if site.random() < 0.8 else site.letters
    return str(pick(site, letters))


@operator("str.remove", str, ("abc", "ac"), ("abc", "c"), weight=4)
def str_remove(value: str, site: Site) -> str:
    """Without some part (Table 1)."""
    if not value:
        return value
    start, end = span(len(value), site)
    return value[:start] + value[end:]


@operator("str.repeat", str, ("abc", "abbc"), ("abc", "abcbc"), weight=3)
def str_repeat(value: str, site: Site) -> str:
    """With some part twice (Table 1)."""
    if not value:
        return value
    start, end = span(len(value), site)
    return value[:end] + value[start:]


@operator("str.replace", str, ("abc", "adc"), weight=4)
def str_replace(value: str, site: Site) -> str:
    """With one character changed (Table 1: a part replaced by its mutant)."""
    if not value:
        return value
    at = below(site, len(value))
    return value[:at] + _letter(site) + value[at + 1 :]


@operator("str.insert", str, ("abc", "abdc"), ("", "d"), weight=3)
def str_insert(value: str, site: Site) -> str:
    """With one character more."""
    at = below(site, len(value) + 1)
    return value[:at] + _letter(site) + value[at:]


@operator("str.move", str, ("abc", "cab"), ("abc", "bac"))
def str_move(value: str, site: Site) -> str:
    """With some part moved elsewhere."""
    if len(value) < 2:
        return value
    start, end = span(len(value), site)
    rest = value[:start] + value[end:]
    at = below(site, len(rest) + 1)
    return rest[:at] + value[start:end] + rest[at:]


@operator("str.swap", str, ("abc", "cba"))
def str_swap(value: str, site: Site) -> str:
    """With two characters exchanged."""
    if len(value) < 2:
        return value
    first, second = below(site, len(value)), below(site, len(value))
    letters = list(value)
    letters[first], letters[second] = letters[second], letters[first]
    return "".join(letters)


@operator("str.reverse", str, ("abc", "cba"), weight=1)
def str_reverse(value: str, site: Site) -> str:
    """Backwards."""
    return value[::-1]


@operator("str.double", str, ("abc", "abcabc"), weight=1)
def str_double(value: str, site: Site) -> str:
    """Twice over."""
    return value + value


@operator("str.mirror", str, ("abc", "abcba"), ("abc", "abccba"))
def str_mirror(value: str, site: Site) -> str:
    """Followed by itself backwards: the same from both ends."""
    half = value[: 1 + below(site, 8)] if len(value) > 8 else value
    return half + (half[-2::-1] if site.random() < 0.5 else half[::-1])


@operator("str.case", str, ("aBc", "ABc"), ("aBc", "AbC"), ("aBc", "ABC"), weight=3)
def str_case(value: str, site: Site) -> str:
    """With the case of one letter, or of all, changed, where both cases are allowed."""
    way = below(site, 5)
    if way == 0:
        changed = value.swapcase()
    elif way == 1:
        changed = value.upper() if site.random() < 0.5 else value.lower()
    elif not value:
        return value
    else:
        at = below(site, len(value))
        changed = value[:at] + value[at].swapcase() + value[at + 1 :]
    return changed if len(changed) == len(value) else value


@operator(
    "str.run",
    str,
    ("12-ab", "7-ab"),
    ("12-ab", "12-x"),
    ("a  b", "a b"),
    weight=4,
    traits=(Trait.KEEPS_FORM,),
)
def str_run(value: str, site: Site) -> str:
    """With one run of digits, letters or blanks replaced by another of its kind."""
    if not value:
        return value
    parts = runs(value)
    at = below(site, len(parts))
    parts[at] = _another(parts[at], site)
    return "".join(parts)


def _another(run: str, site: Site) -> str:
    """Return a different run of the same kind; other characters are repeated or kept."""
    kind = run_kind(run)
    if kind == "digits":
        return str(_numeral(run, site))
    if kind == "letters":
        letters = [each for each in site.seen_letters if each.isalpha()] or list("abxyz")
        size = 1 + below(site, 6) if site.random() < 0.5 else len(run)
        if size == 1:
            return str(pick(site, [*letters, "x"]))
        return "".join([str(pick(site, letters)) for _ in range(size)])
    if kind == "blanks":
        return run[: 1 + below(site, len(run))] if site.random() < 0.5 else run + run[-1]
    return run


def _numeral(run: str, site: Site) -> str:
    """Return another numeral: stepped, of another size, a landmark, or a constant."""
    if len(run) > 18:
        return run[:-1]
    way, number = below(site, 6), int(run)
    if way == 0:
        number += 1
    elif way == 1:
        number = max(0, number - 1)
    elif way == 2:
        number = below(site, 10 ** (1 + below(site, 4)))
    elif way == 3:
        number = int(pick(site, (0, 1, 9, 10, 99, 100, 12, 31)))
    else:
        constant = site.constant(int)
        number = number if constant is None else abs(constant)
    keeps_width = site.random() < (0.9 if site.has_form else 0.5)
    return str(number).zfill(len(run)) if keeps_width else str(number)


@operator(
    "str.align", str, ("12-ab", "77-ab"), ("12-ab", "12-wxyz"), weight=2, traits=(Trait.KEEPS_FORM,)
)
def str_align(value: str, site: Site) -> str:
    """With one run as it is in another string of the same form seen."""
    other = site.fragment(str)
    mine, others = runs(value), runs(other or "")
    if not mine or len(mine) != len(others):
        return value
    at = below(site, len(mine))
    if run_kind(mine[at]) == run_kind(others[at]):
        mine[at] = others[at]
    return "".join(mine)


@operator(
    "str.numeral",
    str,
    ("12-ab", "42-ab"),
    ("123-ab", "042-ab"),
    weight=2,
    family=Family.CONSTANT,
    traits=(Trait.KEEPS_FORM,),
)
def str_numeral(value: str, site: Site) -> str:
    """With one numeral replaced by a constant of the task's text, or the number beside it."""
    parts = runs(value)
    numerals = [at for at, part in enumerate(parts) if part.isdigit()]
    constant = site.constant(int)
    if not numerals or constant is None:
        return value
    at = pick(site, numerals)
    numeral = str(abs(constant))
    keeps_width = site.random() < (0.9 if site.has_form else 0.5)
    parts[at] = numeral.zfill(len(parts[at])) if keeps_width else numeral
    return "".join(parts)


@operator("str.words", str, ("a bc d", "a d"), ("a bc d", "bc a d"), ("a bc d", "a bc bc d"))
def str_words(value: str, site: Site) -> str:
    """With a blank-separated word dropped, repeated, or exchanged with another."""
    words = value.split(" ")
    if len(words) < 2:
        return value
    at, way = below(site, len(words)), below(site, 3)
    if way == 0:
        del words[at]
    elif way == 1:
        words.insert(below(site, len(words) + 1), words[at])
    else:
        other = below(site, len(words))
        words[at], words[other] = words[other], words[at]
    return " ".join(words)


@operator("str.mark", str, ("a-b", "a/b"), ("a b", "a/b"), weight=3)
def str_mark(value: str, site: Site) -> str:
    """With one character that is no letter or digit exchanged for another such."""
    places = [at for at, letter in enumerate(value) if not letter.isalnum()]
    if not places or not site.marks:
        return value
    at = pick(site, places)
    return value[:at] + str(pick(site, site.marks)) + value[at + 1 :]


@operator("str.join", str, ("ab", "ab wxyz"), ("ab", "wxyz/ab"), ("ab", "ab/ wxyz"), weight=2)
def str_join(value: str, site: Site) -> str:
    """Before or after another string seen, with a mark between them where marks are known."""
    other = site.fragment(str)
    if other is None:
        return value
    mark = str(pick(site, site.marks)) if site.marks else ""
    if mark and " " in site.marks and mark != " " and site.random() < 0.5:
        mark += " "
    return value + mark + other if site.random() < 0.5 else str(other) + mark + value


@operator("str.splice", str, ("abc", "abxyz"), weight=1)
def str_splice(value: str, site: Site) -> str:
    """Its beginning, followed by the end of another string seen."""
    other = site.fragment(str)
    if not other:
        return value
    return value[: below(site, len(value) + 1)] + str(other)[below(site, len(other)) :]


@operator("str.fragment", str, ("abc", "wxyz"))
def str_fragment(value: str, site: Site) -> str:
    """Another string seen among the inputs."""
    fragment = site.fragment(str)
    return value if fragment is None else fragment


@operator("str.edge", str, ("abc", " abc"), ("abc", "abc "), ("abc", "ab"), ("abc", "bc"))
def str_edge(value: str, site: Site) -> str:
    """With one end changed: a character added that is rare inside, or one taken off."""
    if site.random() < 0.4:
        return value[1:] if site.random() < 0.5 else value[:-1]
    edge = (
        " " if " " in site.seen_letters and site.random() < 0.5 else str(pick(site, site.letters))
    )
    return edge + value if site.random() < 0.5 else value + edge


@operator("str.constant", str, ("abc", "kept"), family=Family.CONSTANT)
def str_constant(value: str, site: Site) -> str:
    """A string constant of the task's text."""
    constant = site.constant(str)
    return value if constant is None else constant


@operator("str.piece", str, ("abc", "abkeptc"), ("abc", "akept"), weight=4, family=Family.CONSTANT)
def str_piece(value: str, site: Site) -> str:
    """With a word or character of the task's text put in, or in place of some part."""
    piece = site.piece()
    start = below(site, len(value) + 1)
    end = start if site.random() < 0.5 else start + below(site, len(value) - start + 1)
    return value[:start] + piece + value[end:]


@operator("str.pieces", str, ("a b", "kept b"), ("a b", "kept kept"), family=Family.CONSTANT)
def str_pieces(value: str, site: Site) -> str:
    """With one or all words replaced by words of the task's text."""
    words = value.split(" ")
    if site.random() < 0.5:
        words[below(site, len(words))] = site.piece()
        return " ".join(words)
    separator = " " if " " in site.seen_letters else ""
    return separator.join([site.piece() for _ in range(1 + below(site, 5))])
