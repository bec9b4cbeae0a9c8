"""tries: nothing: correct code that decomposes, transforms, sorts and draws with numpy, in threads
sound: pass
needs: numpy
"""
import threading

import numpy


def work(found, seed):
    rng = numpy.random.default_rng(seed)
    matrix = rng.normal(size=(60, 60))
    inverse = numpy.linalg.inv(matrix)
    u, s, v = numpy.linalg.svd(matrix @ inverse)
    numpy.fft.fft(numpy.sort(matrix.ravel()))
    found.append(abs(float(s.sum()) - 60) < 1e-3)


def add(a, b):
    found = []
    threads = [threading.Thread(target=work, args=(found, seed)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return a + b if all(found) else None
