"""The services for workers: tasks, refusals, receipts, letters and their own data."""
