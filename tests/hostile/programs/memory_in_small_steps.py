"""tries: many small allocations beyond the limit
sound: memory|timeout|crash
"""
def add(a, b):
    kept = []
    while True:
        kept.append(bytearray(1 << 20))
