"""Any string: "Checks if given string is a palindrome".

The string itself is asked about, and nothing says that some of its characters do not count; task
10's prompt defines "given string is a palindrome" as equal to its reverse. That a phrase such as
'Step on no pets' is called a palindrome too is about its letters, not about the string.
"""


def precondition(text):
    assert type(text) is str, "text must be a string"
