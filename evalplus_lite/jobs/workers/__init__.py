"""What worker processes run for the jobs: functions of plain data."""
