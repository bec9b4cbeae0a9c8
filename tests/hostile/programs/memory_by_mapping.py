"""tries: mappings without reservation, shared or private
sound: pass
"""
import mmap

GOT = []
for flags in (mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000):
    try:
        GOT.append(mmap.mmap(-1, 2 << 30, flags=flags))
    except (OSError, MemoryError, ValueError):
        pass

def add(a, b):
    return "BREACH" if GOT else a + b
