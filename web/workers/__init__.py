"""The workers of a campaign: their work, decisions about them, reports and appeals."""
