"""Words of a text."""

SMALL = {"a", "and", "in", "of", "the"}


def title_case(text: str) -> str:
    """Return a text with a capital at each word but the small ones, and at the first one."""
    words = text.lower().split()
    return " ".join(
        word if word in SMALL and place else word.capitalize() for place, word in enumerate(words)
    )


def abbreviate(text: str, length: int) -> str:
    """Return a text cut to a length, ending in three dots if something is missing."""
    if length < 3:
        raise ValueError("length is below 3")
    if len(text) <= length:
        return text
    return text[: length - 3].rstrip() + "..."
