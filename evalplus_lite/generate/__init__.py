"""Making inputs: seeds, mutation by type, random values, and what keeps them valid."""
