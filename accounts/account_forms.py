"""django-allauth's forms with our labels: sentence case, no duplicates."""

from typing import Any

from allauth.account.forms import AddEmailForm, ChangePasswordForm, ReauthenticateForm


class _Labeled:
    """A form mixin: labels in sentence case, not repeated as placeholders."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.label = str(field.label).capitalize()
            field.widget.attrs.pop("placeholder", None)


class NewAddress(_Labeled, AddEmailForm):
    """The form to add an e-mail address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "E-mail address"


class NewPassword(_Labeled, ChangePasswordForm):
    """The form to change a password: the current and the new one."""


class PasswordAgain(_Labeled, ReauthenticateForm):
    """The form that asks for the password before a sensitive action."""
