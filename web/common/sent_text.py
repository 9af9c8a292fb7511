"""Text that a person sent with a form, without the NUL characters that PostgreSQL cannot store."""

from django.http import HttpRequest


def sent_text(request: HttpRequest, field: str, most: int | None = None) -> str:
    """Return the text of a form's field, cut to ``most`` characters."""
    return request.POST.get(field, "").replace("\0", "").strip()[:most]
