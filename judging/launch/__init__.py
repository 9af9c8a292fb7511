"""The life of a campaign from launch to end: checks, pilot, launch, closure, forecasts."""
