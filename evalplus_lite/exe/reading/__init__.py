"""A package's modules as statements, and the resolution of the names in them."""
