"""Small suites: what inputs are required to do, and the fewest that do it."""
