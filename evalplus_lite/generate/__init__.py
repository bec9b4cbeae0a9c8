"""Making inputs: seeds, mutation by type, strategies, and what keeps them valid."""
