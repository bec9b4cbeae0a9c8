"""``python -m evalplus_lite``: the same as the command ``evalplus-lite``."""

from evalplus_lite.cli import main

raise SystemExit(main())
