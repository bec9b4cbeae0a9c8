"""A package's modules as statements and names, and what each name stands for."""
