"""Plain Python values: exact JSON and binary forms, equality, identity and how they are shown."""
