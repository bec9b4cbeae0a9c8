"""What runs beside a sandbox, wherever that is: work of plain data, named by backends' calls."""
