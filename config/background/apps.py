from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class BackgroundConfig(AppConfig):
    name = "config.background"
    label = "background"
    verbose_name = "Background work"

    def ready(self) -> None:
        autodiscover_modules("jobs")
