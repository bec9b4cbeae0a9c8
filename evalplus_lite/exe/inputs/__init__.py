"""Inputs for mined functions: sampled, explored, or asked of a model."""
