"""Campaigns, from preparation to payment, and the pages on which workers judge. Imports rooms up to pooling."""
