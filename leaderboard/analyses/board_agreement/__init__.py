"""The board under official and preference qrels, and how well the two agree."""
