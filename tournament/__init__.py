"""Best answers by judgments, challenges, and versions of the preference qrels. Imports rooms up to judging."""
