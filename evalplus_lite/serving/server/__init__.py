"""An HTTP server that judges programs, with its own protocol and those that trainers use."""
