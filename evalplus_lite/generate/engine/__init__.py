"""What is tried next: the generator, its slots, boundary values, limits and scheduler."""
