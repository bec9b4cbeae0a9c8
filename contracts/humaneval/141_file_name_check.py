"""Any string, unless a letter or digit outside ASCII decides.

The prompt's ranges ('0'-'9', 'a'-'z' and 'A'-'Z') rule these out, but "a letter from the latin
alphapet" may be thought to include 'é': such inputs test the reading of the brackets alone.
"""


def precondition(file_name):
    assert type(file_name) is str, "file_name must be a string"
    if file_name.endswith((".txt", ".exe", ".dll")):  # any other ending is invalid by itself
        assert file_name[0].isascii() or not file_name[0].isalpha(), (
            "a letter at the start must be an English letter"
        )
    assert all(char.isascii() or not char.isnumeric() for char in file_name), "digits must be 0-9"
