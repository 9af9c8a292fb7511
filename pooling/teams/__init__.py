"""Who may submit what: teams, rounds, submission policies, and the fields that a run must have."""
