"""Inputs for mined functions: sampled, searched for, or written by a model."""
