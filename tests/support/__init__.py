"""What several test modules share: values, tiny tasks, and the real command."""
