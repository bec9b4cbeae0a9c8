"""A class name and a non-empty list of ASCII names, as letters in other scripts may lack case."""


def precondition(class_name, extensions):
    assert type(class_name) is str, "class_name must be a string"
    assert type(extensions) is list, "extensions must be a list"
    assert all(type(name) is str for name in extensions), (
        "every element of extensions must be a string"
    )
    assert all(name.isascii() for name in extensions), "every element of extensions must be ASCII"
    assert extensions, "extensions must be non-empty"
