"""django-allauth's forms, labelled as ours are: like a sentence, and once."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import AddEmailForm, ChangePasswordForm, ReauthenticateForm


class _Labelled:
    """Labels of no more than one capital letter, and none of them again within its own field."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.label = str(field.label).capitalize()
            field.widget.attrs.pop("placeholder", None)


class NewAddress(_Labelled, AddEmailForm):
    """A further e-mail address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "E-mail address"


class NewPassword(_Labelled, ChangePasswordForm):
    """The password that is, and the one that is to be."""


class PasswordAgain(_Labelled, ReauthenticateForm):
    """The password, before something that others must not do."""
