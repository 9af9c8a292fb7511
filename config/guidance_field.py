"""A database column for texts that name actions and options."""

from typing import Any

from django.db import models

from config.guidance import Guidance, restored, stored


class GuidanceField(models.TextField):
    """A text field for Guidance (text with actions and options). Plain text is read as Guidance without actions."""

    def from_db_value(self, value: str | None, *_: Any) -> Guidance | None:
        return None if value is None else restored(value)

    def get_prep_value(self, value: Any) -> Any:
        return stored(value) if isinstance(value, str) else super().get_prep_value(value)
