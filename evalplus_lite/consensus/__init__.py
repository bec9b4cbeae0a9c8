"""Programs asked about a reference: disputed inputs, and the panel that votes on them."""
