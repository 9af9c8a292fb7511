"""From a draft to a campaign that runs, and to its end: checks, pilot, launch, closure, forecasts."""
