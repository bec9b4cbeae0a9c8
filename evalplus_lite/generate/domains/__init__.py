"""What a value may be: domains, read off annotations and examples, and the filter on inputs."""
