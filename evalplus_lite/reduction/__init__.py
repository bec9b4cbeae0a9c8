"""Small suites that keep what large ones achieve: set cover, bounds, policies, cross-validation."""
