"""The ten words named in the prompt, in any number, with one space between two; or no word."""

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def precondition(numbers):
    assert type(numbers) is str, "numbers must be a string"
    if numbers:
        words = numbers.split(" ")
        assert all(x in WORDS for x in words), "every word must be one of 'zero' to 'nine'"
