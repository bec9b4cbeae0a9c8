"""Adapters: rewards and scores in the signatures that trainers and harnesses call.

All adapters of a process share one judge (``judge.py``): its own sandboxes, or a server's URL.
The trainer's data holds a task's id or tests (``tasks/published/trainers.py``).
"""
