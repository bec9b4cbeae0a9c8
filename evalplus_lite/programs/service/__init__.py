"""The program that a helper process runs: all of our own code that works on untrusted texts."""
