"""What workers do and see: tasks, refusals, receipts, letters, their own data."""
