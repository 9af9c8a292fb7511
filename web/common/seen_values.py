"""Prevent a form from overwriting values saved after its page was opened.

The page carries signed fingerprints of the values that it showed. A form that comes back is compared with what is
saved now; changes in between are listed, and nothing is saved until the page that shows them is submitted.
"""

from copy import copy
from hashlib import sha256
from typing import Any

from django import forms
from django.core import signing

SALT = "values that a page showed"
#: Longer values, such as texts, are named but not repeated.
LONGEST_TOLD = 60


class SeenValuesForm(forms.Form):
    """A form whose ``initial`` has the saved values."""

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
        self._show_saved([name for name in changed if sent[name] == seen[name]])
        return [self._changed_field(name) for name in changed]

    def _show_saved(self, names: list[str]) -> None:
        """Show the saved values of fields that the sender did not change, or saving again would overwrite them."""
        data: Any = copy(self.data)
        for name in names:
            key, value = self.add_prefix(name), self.initial.get(name)
            data.pop(key, None)
            if value not in (None, False):
                data[key] = "on" if value is True else value
        self.data = data

    def _changed_field(self, name: str) -> str:
        label, value = self[name].label, _compared_text(self.initial.get(name))
        return f"{label} is now {value}" if value and len(value) <= LONGEST_TOLD else str(label)

    def _fingerprints(self) -> dict[str, str]:
        return {name: _fingerprint(self.initial.get(name)) for name in self.fields}


def _compared_text(value: Any) -> str:
    return "" if value is None else str(value).replace("\r\n", "\n").strip()


def _fingerprint(value: Any) -> str:
    return sha256(_compared_text(value).encode()).hexdigest()[:16]
