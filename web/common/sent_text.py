"""Text that a person sent with a form."""

from django.http import HttpRequest

from config.storable_text import storable_text


def sent_text(request: HttpRequest, field: str, most: int | None = None) -> str:
    """Return the text of a form's field as it can be stored, cut to ``most`` characters."""
    return storable_text(request.POST.get(field, ""), most)
