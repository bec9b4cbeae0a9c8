"""How a value is changed: mutation operators by type, and across arguments."""
