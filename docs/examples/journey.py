"""A benchmark of one's own in Python: tasks, more inputs, two models judged, a small suite.

    python journey.py [FOLDER]

Everything is written below FOLDER (default: out/journey). Run again after a kill, it goes on.
"""

import sys
from pathlib import Path

from evalplus_lite import Session, augment, evaluate, load_dataset, read_samples, reduce
from evalplus_lite.reports import export

HERE = Path(__file__).parent
OUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/journey")


def table(result):
    """Return a result's rows as a pandas frame, or as they are where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return result.to_rows()
    return pandas.DataFrame(result.to_rows())


def progress(event):
    """Say when a stage begins."""
    if event.stage and not event.done and not event.note:
        print(f"- {event.stage}")


with Session(on_progress=progress) as session:
    # 1. Five tasks: a prompt, a reference, a few inputs, for some a contract.
    tasks = load_dataset(HERE / "tasks.jsonl", session=session)

    # 2. More inputs, each answered by the reference, which is run twice.
    suite = augment(tasks, inputs=200, out=OUT / "suite", session=session)
    print(table(suite))

    # 3. Programs of two models. A file could be given as it is; here one file holds both models'.
    samples = list(read_samples(HERE / "samples.jsonl", tasks))
    models = {"first": samples[0::2], "second": samples[1::2]}
    for name, programs in models.items():
        result = evaluate(suite.dataset, programs, ks=(1,), out=OUT / name, session=session)
        print(name, result.pass_at_k)
        print(table(result))

    # 4. A small suite that still rejects the first model's wrong programs, and what it makes of
    #    the second model, which it never saw.
    small = reduce(suite.dataset, models["first"], out=OUT / "small", session=session)
    print(f"{small.summary['chosen']} of {small.summary['cases']} inputs")
    again = evaluate(small.dataset, models["second"], ks=(1,), session=session)
    print("second, small suite:", again.pass_at_k)

    # 5. For other people's tools: pytest OUT/tests --solution my_solution.py
    export(small.dataset, OUT / "tests", format="pytest", session=session)
