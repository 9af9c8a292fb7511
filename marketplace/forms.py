"""What workers fill in about themselves."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib.auth import password_validation

from marketplace.models import Worker


class SignUpForm(forms.Form):
    """A new worker account."""

    username = forms.CharField(
        label="Name to sign in with",
        max_length=60,
        help_text="Letters, digits and . _ - only. Requesters never see it.",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text="At least eight characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    email = forms.EmailField(label="E-mail", required=False, help_text="Only if you want one on file.")
    country = forms.CharField(
        label="Country",
        required=False,
        max_length=2,
        help_text="Two letters, such as DE or US. Some tasks ask for it.",
        widget=forms.TextInput(attrs={"autocomplete": "country", "size": 4}),
    )

    def clean_username(self) -> str:
        """One spelling per name; free names only."""
        username: str = self.cleaned_data["username"].strip().lower()
        if not re.fullmatch(r"[a-z0-9._-]+", username):
            raise forms.ValidationError("Use letters, digits and . _ - only.")
        if Worker.objects.filter(username=username).exists():
            raise forms.ValidationError("This name is taken. Choose another one.")
        return username

    def clean_country(self) -> str:
        """Two letters or nothing."""
        country: str = self.cleaned_data["country"].strip().upper()
        if country and not re.fullmatch(r"[A-Z]{2}", country):
            raise forms.ValidationError("Give two letters, or leave it empty.")
        return country

    def clean(self) -> dict[str, Any]:
        """Check the password against the rules of the settings."""
        data = super().clean() or {}
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
