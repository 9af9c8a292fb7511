"""Whether one run is better than another: outcomes, tests, and the claims they support."""
