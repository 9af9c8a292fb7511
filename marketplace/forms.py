"""What workers fill in about themselves."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib.auth import password_validation

from marketplace.models import Worker


class CountryField(forms.CharField):
    """Two letters or nothing."""

    def __init__(self) -> None:
        super().__init__(
            label="Country",
            required=False,
            max_length=2,
            help_text="Two letters, such as DE or US. Some tasks ask for it.",
            widget=forms.TextInput(attrs={"autocomplete": "country", "size": 4}),
        )

    def set_by_operator(self) -> None:
        """Show it, and take no other."""
        self.disabled = True
        self.help_text = "It was set for you. If it is wrong, tell the people who invited you."

    def clean(self, value: Any) -> str:
        """In capitals."""
        country: str = super().clean(value).strip().upper()
        if country and not re.fullmatch(r"[A-Z]{2}", country):
            raise forms.ValidationError("Give two letters, or leave it empty.")
        return country


def new_password(label: str) -> forms.CharField:
    """A field for a password that is being chosen."""
    return forms.CharField(
        label=label,
        strip=False,
        help_text="At least eight characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


#: Names of programs that work in people's place begin like this; no person gets such a name.
PROGRAMS = "simulated-"


class SignUpForm(forms.Form):
    """A new worker account."""

    username = forms.CharField(
        label="Name to sign in with",
        max_length=60,
        help_text="Letters, digits and . _ - only. Requesters never see it.",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = new_password("Password")
    email = forms.EmailField(
        label="E-mail", required=False, help_text="For messages, and for a new password if you forget yours."
    )
    country = CountryField()
    # No person meets it: programs say with it that nobody is to be paid.
    program = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, country_by_operator: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if country_by_operator:
            self.fields["country"].set_by_operator()  # type: ignore[attr-defined]

    def clean_username(self) -> str:
        """One spelling per name; free names only, and no program's."""
        username: str = self.cleaned_data["username"].strip().lower()
        if not re.fullmatch(r"[a-z0-9._-]+", username):
            raise forms.ValidationError("Use letters, digits and . _ - only.")
        if Worker.objects.filter(username=username).exists():
            raise forms.ValidationError("This name is taken. Choose another one.")
        return username

    def clean(self) -> dict[str, Any]:
        """Check the password against the rules of the settings, and who may be named as programs are."""
        data = super().clean() or {}
        if data.get("username", "").startswith(PROGRAMS) and not data.get("program"):
            self.add_error(
                "username", f"Names that begin with {PROGRAMS} are kept for programs. Choose another one."
            )
        if "password" in data:
            worker = Worker(username=data.get("username", ""), email=data.get("email", ""))
            try:
                password_validation.validate_password(data["password"], worker)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return data


class SignInForm(forms.Form):
    """Name and password."""

    username = forms.CharField(
        label="Name",
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label="Password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class ForgottenForm(forms.Form):
    """Whose password is to be set anew."""

    identity = forms.CharField(
        label="Name or e-mail address",
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )


class NewPasswordForm(forms.Form):
    """A password set by a link."""

    password = new_password("New password")

    def __init__(self, *args: Any, worker: Worker, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.worker = worker

    def clean_password(self) -> str:
        """Check it against the rules of the settings."""
        password: str = self.cleaned_data["password"]
        password_validation.validate_password(password, self.worker)
        return password


class ChangePasswordForm(NewPasswordForm):
    """A password changed by someone who knows the old one, unless there is none."""

    field_order = ("current", "password")
    current = forms.CharField(
        label="Current password",
        strip=False,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.worker.has_usable_password():
            self.fields["current"].required = True
        else:
            del self.fields["current"]

    def clean_current(self) -> str:
        """It must be right."""
        current: str = self.cleaned_data["current"]
        if not self.worker.check_password(current):
            raise forms.ValidationError("This is not your current password.")
        return current


class AccountForm(forms.Form):
    """What workers may change about themselves."""

    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="For messages, and for a new password if you forget yours.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    country = CountryField()

    def __init__(self, *args: Any, country_by_operator: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if country_by_operator:
            self.fields["country"].set_by_operator()  # type: ignore[attr-defined]
