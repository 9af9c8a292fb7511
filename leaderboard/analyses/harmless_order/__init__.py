"""The order of runs by the rule "do no harm": which runs are below others, and which share a rank."""
