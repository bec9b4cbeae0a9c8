"""Code that runs inside the sandbox, in a bare interpreter; it imports no installed package."""
