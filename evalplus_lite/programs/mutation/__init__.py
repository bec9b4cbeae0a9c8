"""Small faults planted in programs: what a good suite notices."""
