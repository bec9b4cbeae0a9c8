"""Signatures in prompts are read as text."""

from __future__ import annotations

import pytest

from evalplus_lite.generate.domains.annotations import UNKNOWN, Type, hints, read_type
from evalplus_lite.generate.domains.constants import examples


@pytest.mark.parametrize(
    ("annotation", "stated"),
    [
        ("int", "int"),
        ("'float'", "float"),
        ("List[str]", "list[str]"),
        ("typing.Sequence[int]", "list[int]"),
        ("list[list[int]]", "list[list[int]]"),
        ("Dict[str, int]", "dict[str, int]"),
        ("Tuple[int, str]", "tuple[int, str]"),
        ("tuple[int, ...]", "tuple[int, ...]"),
        ("Optional[int]", "int | None"),
        ("Union[str, int]", "str | int"),
        ("int | None", "int | None"),
        ("List[Any]", "list[Any]"),
        ("List[Whatever]", "list[unknown]"),
        ("Callable[[int], int]", "unknown"),
        ("Whatever", "unknown"),
        ("int | Whatever", "unknown"),
    ],
)
def test_annotation_states_types(annotation: str, stated: str) -> None:
    """Each usual way to write a type is understood; anything else states nothing."""
    (read,) = hints(f"import x\n\n\ndef f(a: {annotation}):\n    '''Text: more.'''\n", "f")
    assert str(read) == stated


def test_types_say_what_their_values_are() -> None:
    """Unions have the types of all members, and the parts of the first that has some."""
    kind = read_type("int | None | list[str] | dict[str, float] | tuple[int, str]")
    assert set(kind.kinds) == {int, type(None), list, dict, tuple}
    assert kind.items == Type("str")
    assert kind.entry == (Type("str"), Type("float"))
    assert read_type("tuple[int, ...]").items == Type("int")
    assert read_type("tuple[int, str]").items is None
    assert UNKNOWN.kinds == ()


def test_signature_over_several_lines_is_read() -> None:
    """Defaults, return types and line breaks do not matter; bare parameters state nothing."""
    prompt = "def g(x):\n    pass\n\ndef f(\n    a: int,\n    b='x',\n) -> Dict[str, int]:\n    1"
    assert hints(prompt, "f") == (Type("int"), UNKNOWN)


@pytest.mark.parametrize("prompt", ["", "no signature", "def f(a: int", "def ff(a: int):\n"])
def test_no_signature_states_nothing(prompt: str) -> None:
    """A prompt without a readable signature is no error."""
    assert hints(prompt, "f") == ()


PROMPT = '''
class Solution:
    def twoSum(self, nums: list[int], target: int) -> list[int]:
        """Return the places of two numbers with that sum.

        >>> Solution().twoSum([2, 7, 11], 9)
        >>> s.twoSum(target=6, nums=[3, 3])
        """
'''


def test_a_method_is_read_off_its_prompt() -> None:
    first, second = hints(PROMPT, "Solution.twoSum")
    assert (first.kind, second.kind) == ("list", "int")
    assert examples(PROMPT, "Solution.twoSum") == [([2, 7, 11], 9), ([3, 3], 6)]
    assert examples(PROMPT, "twoSum") == []
