from importlib import import_module

from django.apps import AppConfig


class MarketplaceConfig(AppConfig):
    """A self-hosted crowdsourcing site that speaks MTurk's requester protocol."""

    name = "marketplace"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks of the settings."""
        import_module("marketplace.settings_checks")
