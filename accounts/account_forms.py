"""django-allauth's forms with labels in sentence case, which are not repeated as placeholders."""

from typing import Any

from allauth.account.forms import AddEmailForm, ChangePasswordForm, ReauthenticateForm


class _Labeled:
    """Mixin that puts a form's labels in sentence case and removes placeholders, which would repeat the labels."""

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
    """The form to change a password. It asks for the current and the new password."""


class PasswordAgain(_Labeled, ReauthenticateForm):
    """The form that asks for the password before a sensitive action."""
