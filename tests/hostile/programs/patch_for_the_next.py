"""tries: patch the standard library in the hope that the next program meets it
sound: pass
"""
import builtins, json, math, random, sys

builtins.sum = lambda *a: 0
math.sqrt = lambda *a: 0
random.seed(12345)
sys.path.insert(0, "/tmp")
sys.setrecursionlimit(50_000)
json.loads = lambda *a: None

def add(a, b):
    return a + b
