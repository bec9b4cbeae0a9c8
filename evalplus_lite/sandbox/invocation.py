"""What invokes programs inside the sandbox, as a module of its own: for runs without one."""

from __future__ import annotations

import re
from pathlib import Path

from evalplus_lite.sandbox.guest import harness, observing, script

_PARTS = tuple(Path(module.__file__ or "") for module in (script, observing, harness))


def module_text() -> str:
    """Return a module whose ``bind`` invokes a program on a case as the sandbox does."""
    texts = (path.read_text(encoding="utf-8") for path in _PARTS)
    text = "\n\n".join(each.partition("from __future__ import annotations\n")[2] for each in texts)
    text = re.sub(r"if TYPE_CHECKING:.*\n(?:    .*\n)+", "", text)
    about = '"""How a program is invoked on a case, and what of it is observed."""'
    return f"{about}\n\nfrom __future__ import annotations\n{text}"
