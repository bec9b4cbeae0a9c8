"""Selection of functions to mine: typed, self-contained and pure by their source."""
