from django.apps import AppConfig
from django.core import validators


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        use_our_words()


def use_our_words() -> None:
    """Replace Django's messages that begin with "Ensure", and its message about slugs."""
    validators.MinValueValidator.message = "Enter %(limit_value)s or more."
    validators.MaxValueValidator.message = "Enter %(limit_value)s or less."
    validators.MinLengthValidator.message = "Enter at least %(limit_value)s characters."
    validators.MaxLengthValidator.message = (
        "Enter at most %(limit_value)s characters. This text has %(show_value)s."
    )
    validators.validate_slug.message = "Use only letters, digits, hyphens and underscores."
    validators.DecimalValidator.messages |= {
        "max_digits": "Enter at most %(max)s digits.",
        "max_decimal_places": "Enter at most %(max)s decimals.",
        "max_whole_digits": "Enter at most %(max)s digits before the decimal point.",
    }
