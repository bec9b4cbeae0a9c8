"""Small faults planted in programs, which a good suite detects."""
