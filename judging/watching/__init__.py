"""The state of a campaign: status, history, stalled work, failed jobs."""
