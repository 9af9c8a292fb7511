"""The order of runs by the rule "do no harm": who is below whom, and who shares a place."""
