from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        from web.common.field_errors import use_our_words

        use_our_words()
