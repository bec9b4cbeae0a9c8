"""tries: nothing: correct code with the usual imports, argv, devnull and a recursion limit
sound: pass
"""
import contextlib, csv, datetime, hashlib, io, os, re, sqlite3, ssl, string, struct, sys, unittest, uuid, zlib

sys.setrecursionlimit(10_000)

def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)

def add(a, b):
    assert sys.argv is not None and deep(4000) == 4000
    with contextlib.redirect_stdout(io.StringIO()):
        print(hashlib.sha256(b"x").hexdigest(), uuid.uuid4(), datetime.date.today())
    with open(os.devnull, "w") as file:
        print("x", file=file)
    return a + b
