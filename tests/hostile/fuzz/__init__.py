"""A fuzzer of whoever reads what others wrote: samples, suites, archives, servers' replies.

``texts`` and ``documents`` make the hostile texts, ``readers`` are the project's parts that read
them, each in a process of its own (``reader``), and ``campaign`` feeds, watches and measures that
process. ``python -m tests.hostile.fuzz --help`` from the project's folder.
"""
