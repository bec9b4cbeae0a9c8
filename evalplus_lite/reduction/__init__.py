"""Small suites: requirements on inputs, and the fewest inputs that satisfy them."""
