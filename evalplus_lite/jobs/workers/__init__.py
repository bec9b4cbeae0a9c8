"""Worker functions of the jobs: functions of plain data."""
