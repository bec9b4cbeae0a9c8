"""tries: cancel the signal that ends it with its parent, become a subreaper, allow tracing by anyone
sound: pass
uses: breach
"""
for number, value in ((1, 0), (36, 1), (0x59616D61, 2 ** 64 - 1)):
    if libc.prctl(number, value, 0, 0, 0) == 0:
        DONE.append(number)
