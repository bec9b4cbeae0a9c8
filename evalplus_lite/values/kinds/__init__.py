"""Types beyond the plain ones, one module each: how they travel, compare, are written and made."""
