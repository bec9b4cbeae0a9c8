"""An HTTP server that judges programs: its own protocol, and those that trainers speak already."""
