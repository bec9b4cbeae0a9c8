"""Where work runs: a pool of local sandboxes; the caller hands one in."""
