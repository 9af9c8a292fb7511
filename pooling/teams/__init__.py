"""Teams, rounds and submission policies: when a team can submit runs, how many, and with which details."""
