"""Extended types, one module each: their wire form, comparison, file form, and generation."""
