"""Pages and the API that look across rooms, grouped by feature. Imports every room but the marketplace."""
