"""Results in the forms that other tools read: JUnit, CSV, Parquet, JSON lines."""
