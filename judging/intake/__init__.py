"""The intake of work: offer places, collect and screen submissions, and repeat tasks."""
