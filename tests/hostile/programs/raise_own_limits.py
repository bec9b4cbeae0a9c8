"""tries: raise every limit it is under
sound: pass
uses: breach
"""
import resource

for name in [n for n in dir(resource) if n.startswith("RLIMIT_")]:
    number = getattr(resource, name)
    if resource.getrlimit(number)[1] == resource.RLIM_INFINITY:
        continue
    for act in (resource.setrlimit, lambda n, v: resource.prlimit(0, n, v)):
        attempt(lambda: act(number, (resource.RLIM_INFINITY,) * 2))
