"""Teams, rounds and submission policies: when a team may submit runs, how many, and with which details."""
