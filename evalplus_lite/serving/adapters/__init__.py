"""Adapters: rewards and scores in the signatures that trainers and harnesses call.

One judge a process answers all of them (``judge.py``): sandboxes of its own, or a server's URL.
What a task is judged by is read off the trainer's data (``tasks/published/trainers.py``).
"""
