"""Long forms in two parts: essential fields, and folded fields that most people leave unchanged."""

from collections.abc import Sequence
from typing import ClassVar

from django import forms


class AdvancedFields(forms.Form):
    """A form whose page folds the fields named in ``ADVANCED``."""

    ADVANCED: ClassVar[tuple[str, ...]] = ()
    #: Fields that were saved elsewhere after the page was opened (seen_values.py).
    changed_elsewhere: Sequence[str] = ()

    @property
    def essentials(self) -> list[forms.BoundField]:
        """The visible fields that are not folded."""
        return [field for field in self.visible_fields() if field.name not in self.ADVANCED]

    @property
    def advanced(self) -> list[forms.BoundField]:
        """The visible fields that are folded."""
        return [field for field in self.visible_fields() if field.name in self.ADVANCED]

    @property
    def advanced_open(self) -> bool:
        """Whether a folded field has errors or was changed."""
        return any(field.errors or self._changed(field.name) for field in self.advanced)

    def _changed(self, name: str) -> bool:
        """Return whether the field was changed, either in this form or elsewhere since the page was opened."""
        return self.is_bound and (name in self.changed_data or name in self.changed_elsewhere)
