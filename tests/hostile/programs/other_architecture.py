"""tries: system calls by their x32 numbers, which a careless filter does not know
sound: pass|crash
uses: breach
"""
calls(*((0x40000000 + n, 0, 0, 0) for n in (57, 41, 59, 62, 101)))
