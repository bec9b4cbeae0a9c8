"""The long jobs: evaluate, augment and what they share.

A job takes a pool, a journal where it has to survive a kill, and a callback for its progress; it
prints nothing. The command line and the library call the same jobs.
"""
