"""evalplus_lite: rigorous, small test suites for code benchmarks, and a verifier for programs.

    >>> from evalplus_lite import Dataset, Case, Sample, Task, evaluate
    >>> task = Task("Own/0", "", "double", "def double(x): return 2 * x", base=(Case((3,)),))
    >>> result = evaluate(Dataset("own", (task,)), [Sample("Own/0", "double = lambda x: x + x")])
    >>> result.pass_at_k["base"]["pass@1"]
    1.0

Each job is a function, and a ``Session`` holds what several of them share. A ``Verifier`` judges
one program at a time. The records that jobs return are in ``evalplus_lite.results``, all errors in
``evalplus_lite.errors``. The wings have their own names: ``evalplus_lite.reports`` compares,
reports and exports results, ``evalplus_lite.exe`` makes execution tasks, ``evalplus_lite.serving``
judges for others. Names are loaded when first used, so that importing the package costs next to
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalplus_lite.lazy import lazily
from evalplus_lite.version import __version__ as __version__

if TYPE_CHECKING:
    from evalplus_lite.errors import EvalPlusLiteError as EvalPlusLiteError
    from evalplus_lite.errors import InputError as InputError
    from evalplus_lite.grading.text_verifier import verify_code_execution as verify_code_execution
    from evalplus_lite.jobs.augmentation import augment as augment
    from evalplus_lite.jobs.augmentation import seed_source as seed_source
    from evalplus_lite.jobs.constraints import infer_constraints as infer_constraints
    from evalplus_lite.jobs.datasets import load_dataset as load_dataset
    from evalplus_lite.jobs.drafting import draft_from_module as draft_from_module
    from evalplus_lite.jobs.drafting import draft_from_pytest as draft_from_pytest
    from evalplus_lite.jobs.evaluation import evaluate as evaluate
    from evalplus_lite.jobs.generation import generate_samples as generate_samples
    from evalplus_lite.jobs.linting import lint as lint
    from evalplus_lite.jobs.quality import find_survivors as find_survivors
    from evalplus_lite.jobs.quality import quality as quality
    from evalplus_lite.jobs.reduction import cross_validate as cross_validate
    from evalplus_lite.jobs.reduction import reduce as reduce
    from evalplus_lite.jobs.rerunning import rerun as rerun
    from evalplus_lite.jobs.samples import read_samples as read_samples
    from evalplus_lite.jobs.session import Session as Session
    from evalplus_lite.jobs.shards import merge as merge
    from evalplus_lite.models import Client as Client
    from evalplus_lite.models.completions import Sampling as Sampling
    from evalplus_lite.reduction.policy import Policy as Policy
    from evalplus_lite.tasks import Dataset as Dataset
    from evalplus_lite.types import Case as Case
    from evalplus_lite.types import Rule as Rule
    from evalplus_lite.types import Sample as Sample
    from evalplus_lite.types import Task as Task
    from evalplus_lite.types import Verdict as Verdict
    from evalplus_lite.verifier import Verifier as Verifier

__all__, __getattr__, __dir__ = lazily(__name__, "__version__")
