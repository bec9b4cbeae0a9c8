"""The published sets: their rows, releases and rules of comparison; named nowhere else."""
