"""Plain Python values: exact JSON and binary forms, equality, identity, and display."""
