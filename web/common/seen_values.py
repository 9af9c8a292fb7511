"""Prevent a form from overwriting values saved after its page was opened.

The page carries signed fingerprints of the values that it showed. When the form is submitted, they are compared with
the values saved now. If any value has changed, the changes are listed on a new page, and nothing is saved until that
page is submitted.
"""

from collections.abc import Sequence
from copy import copy
from hashlib import sha256
from typing import Any

from django import forms
from django.core import signing
from django.core.exceptions import NON_FIELD_ERRORS

SALT = "values that a page showed"
#: The longest value that a message quotes. For longer values, such as texts, it only names the field.
LONGEST_TOLD = 60


class SeenValuesForm(forms.Form):
    """A form that overwrites only values that its sender has seen. Its ``initial`` has the saved values."""

    #: Fields that were saved elsewhere after the page was opened.
    changed_elsewhere: Sequence[str] = ()
    #: The fields in ``changed_elsewhere`` that the sender did not change; they show the saved values.
    shown_as_saved: Sequence[str] = ()

    @property
    def values_are_valid(self) -> bool:
        """Whether the sent values are valid, even if they are not saved because of changes elsewhere."""
        if self.is_valid():
            return True
        only_conflict = set(self.errors) == {NON_FIELD_ERRORS} and len(self.non_field_errors()) == 1
        return bool(self.changed_elsewhere) and only_conflict

    def seen(self) -> str:
        """Return the fingerprints of the saved values, for a hidden field called ``seen``."""
        return signing.dumps(self._fingerprints(), salt=SALT)

    def clean(self) -> dict[str, Any]:
        """Refuse to overwrite values that the sender has not seen. A form without fingerprints is not checked."""
        found = super().clean() or {}
        if told := self._changed_since(found):
            self.add_error(
                None,
                f"Saved elsewhere after you opened this page: {'; '.join(told)}. Nothing was overwritten. Fields "
                "that you did not change now show what is saved. Check your own changes below and save again.",
            )
        return found

    def _changed_since(self, wanted: dict[str, Any]) -> list[str]:
        try:
            seen: dict[str, str] = signing.loads(self.data.get("seen", ""), salt=SALT)
        except signing.BadSignature:
            return []
        now = self._fingerprints()
        sent = {name: _fingerprint(wanted.get(name)) for name in self.fields}
        changed = [name for name in seen if name in now and seen[name] != now[name] != sent[name]]
        self.changed_elsewhere = changed
        self.shown_as_saved = [name for name in changed if sent[name] == seen[name]]
        self._show_saved()
        return [self._changed_field(name) for name in changed]

    def _show_saved(self) -> None:
        """Show the saved values of fields that the sender did not change, so that saving again keeps them."""
        data: Any = copy(self.data)
        for name in self.shown_as_saved:
            key, value = self.add_prefix(name), self.initial.get(name)
            data.pop(key, None)
            if value not in (None, False):
                data[key] = "on" if value is True else value
        self.data = data

    def _changed_field(self, name: str) -> str:
        label, value = self[name].label, _value_in_words(self.fields[name], self.initial.get(name))
        return f"{label} is now {value}" if value and len(value) <= LONGEST_TOLD else str(label)

    def _fingerprints(self) -> dict[str, str]:
        return {name: _fingerprint(self.initial.get(name)) for name in self.fields}


def _value_in_words(field: forms.Field, value: Any) -> str:
    """Return the value as its field shows it; for a choice with an explanation, the words before the colon."""
    if isinstance(field, forms.BooleanField):
        return "on" if value else "off"
    told = _compared_text(value)
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        return str(dict(choices).get(told, told)).partition(":")[0]
    return told


def _compared_text(value: Any) -> str:
    return "" if value is None else str(value).replace("\r\n", "\n").strip()


def _fingerprint(value: Any) -> str:
    return sha256(_compared_text(value).encode()).hexdigest()[:16]
