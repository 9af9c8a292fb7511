"""Statistical power: which differences between runs these queries can show."""
