import re
from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import password_validation

from marketplace.errors import SignInRefused
from marketplace.models import Worker
from marketplace.rules import worker_names
from marketplace.rules.languages import name_of


class CountryField(forms.CharField):
    """A field for a two-letter country code, or nothing."""

    def __init__(self) -> None:
        super().__init__(
            label="Country",
            required=False,
            max_length=2,
            help_text="Two letters, such as DE or US. Some tasks are only for certain countries.",
            widget=forms.TextInput(attrs={"autocomplete": "country", "size": 4}),
        )

    def set_by_operator(self) -> None:
        """Show the operator's value, which the worker cannot change."""
        self.disabled = True
        self.help_text = "The people who invited you set this. Tell them if it is wrong."

    def clean(self, value: Any) -> str:
        country: str = super().clean(value).strip().upper()
        if country and not re.fullmatch(r"[A-Z]{2}", country):
            raise forms.ValidationError("Enter two letters, or leave this empty.")
        return country


def email_address() -> forms.EmailField:
    """Return a field for the worker's e-mail address."""
    return forms.EmailField(
        label="E-mail",
        required=False,
        help_text="For messages, and for a new password if you forget yours.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


def new_password_field(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        help_text="At least eight characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class SignUpForm(forms.Form):
    """The form for a new worker account."""

    username = forms.CharField(
        label="Name to sign in with",
        max_length=worker_names.LONGEST,
        help_text="Only letters, digits and . _ - are allowed. Requesters never see it.",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = new_password_field("Password")
    email = email_address()
    country = CountryField()
    # Hidden from people: programs set it to declare that the account is not paid.
    program = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, country_by_operator: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if country_by_operator:
            self.fields["country"].set_by_operator()  # type: ignore[attr-defined]

    def clean_username(self) -> str:
        """Normalize the name, and refuse it if it is taken or not allowed."""
        username = worker_names.one_spelling(self.cleaned_data["username"])
        if refusal := worker_names.name_refusal(username, program=True):
            raise forms.ValidationError(refusal)
        if Worker.objects.filter(username=username).exists():
            raise forms.ValidationError("This name is taken. Choose another.")
        return username

    def clean(self) -> dict[str, Any]:
        """Check the password, and refuse a person a name that only programs can have."""
        data = super().clean() or {}
        program = bool(data.get("program"))
        if "username" in data and (refusal := worker_names.name_refusal(data["username"], program=program)):
            self.add_error("username", refusal)
        if "password" in data:
            worker = Worker(username=data.get("username", ""), email=data.get("email", ""))
            try:
                password_validation.validate_password(data["password"], worker)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return data


class SignInForm(forms.Form):
    """The form for signing in with a name and a password."""

    username = forms.CharField(
        label="Name",
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label="Password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class ForgottenForm(forms.Form):
    """The form that asks for the account whose password is to be reset."""

    identity = forms.CharField(
        label="Name or e-mail address",
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )


class NewPasswordForm(forms.Form):
    """The form for setting a new password, opened by a password link."""

    password = new_password_field("New password")

    def __init__(self, *args: Any, worker: Worker, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.worker = worker

    def clean_password(self) -> str:
        return _checked_password(self.cleaned_data["password"], self.worker)


def _checked_password(password: str, worker: Worker) -> str:
    """Return the password; raises ValidationError if the configured validators reject it."""
    password_validation.validate_password(password, worker)
    return password


#: A check that raises SignInRefused unless the password or a recent sign-in proves that the owner is present.
Prove = Callable[[str], None]


def current_password(help_text: str = "") -> forms.CharField:
    return forms.CharField(
        label="Current password",
        strip=False,
        required=False,
        help_text=help_text,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class OwnerForm(forms.Form):
    """A form that only the account's owner can submit. The proof is the field ``current`` or a recent sign-in."""

    #: Whether every change needs the password, if the account has one.
    always_asks = True
    #: The field that shows the error if an account without a password fails the proof (None for the whole form).
    shown_at: str | None = None

    def __init__(self, *args: Any, worker: Worker, prove: Prove, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.worker, self.prove = worker, prove
        if worker.has_usable_password():
            self.fields["current"].required = self.always_asks
        else:
            del self.fields["current"]

    def needs_proof(self, data: dict[str, Any]) -> bool:
        return True

    def clean(self) -> dict[str, Any]:
        """Check the proof of ownership once all fields are valid."""
        data = super().clean() or {}
        if not self.errors and self.needs_proof(data):
            self._check_proof(data.get("current", ""))
        return data

    def _check_proof(self, password: str) -> None:
        field = "current" if "current" in self.fields else self.shown_at
        if field == "current" and not password:
            # No password was tried, so this does not count as a wrong one.
            self.add_error(field, "Enter your current password.")
            return
        try:
            self.prove(password)
        except SignInRefused as refusal:
            self.add_error(field, str(refusal))


class ChangePasswordForm(OwnerForm):
    """The form for a new password. The proof is the old password or, if none is set, a recent sign-in."""

    current = current_password()
    password = new_password_field("New password")

    def clean_password(self) -> str:
        return _checked_password(self.cleaned_data["password"], self.worker)


class AccountForm(OwnerForm):
    """The form for the account details that workers can change."""

    email = email_address()
    country = CountryField()
    languages = forms.MultipleChoiceField(
        label="Languages you read",
        required=False,
        help_text="The list then shows only tasks in these languages. Choose none to see all tasks.",
        widget=forms.CheckboxSelectMultiple,
    )
    current = current_password("Needed to change the e-mail address.")
    always_asks, shown_at = False, "email"

    def __init__(self, data: Any = None, *, worker: Worker, prove: Prove) -> None:
        read = list(filter(None, worker.languages.split(",")))
        start = {"email": worker.email, "country": worker.country, "languages": read}
        super().__init__(data, initial=start, worker=worker, prove=prove)
        # Earlier choices stay available, even if the site no longer offers them.
        offered = sorted((name_of(tag), tag) for tag in {*settings.LANGUAGE_CHOICES, *read})
        self.fields["languages"].choices = [(tag, name) for name, tag in offered]  # type: ignore[attr-defined]
        if worker.country_by_operator:
            self.fields["country"].set_by_operator()  # type: ignore[attr-defined]

    def needs_proof(self, data: dict[str, Any]) -> bool:
        """Return whether the e-mail address changes.

        This needs proof, because anyone who reads mail sent to the address can set a new password.
        """
        return bool(data["email"] != self.worker.email)


class PayoutForm(OwnerForm):
    """The form for a worker's payment method.

    A change needs proof, so that an intruder cannot redirect payments.
    """

    method = forms.ChoiceField(label="Paid by", error_messages={"required": "Choose how you are paid."})
    details = forms.CharField(
        label="Details",
        required=False,
        max_length=500,
        help_text="The details that the operator needs to pay you that way, such as an account number. "
        "Only the operator's payout list shows them; requesters never see them.",
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
    )
    current = current_password()

    def __init__(self, data: Any = None, *, worker: Worker, prove: Prove) -> None:
        start = {"method": worker.payout_method, "details": worker.payout_details}
        super().__init__(data, initial=start, worker=worker, prove=prove)
        names = [*settings.PAYOUT_METHODS]
        if worker.payout_method and worker.payout_method not in names:
            names.append(worker.payout_method)
        self.fields["method"].choices = [  # type: ignore[attr-defined]
            ("", "Choose one"),
            *((name, name) for name in names),
        ]


class DeleteAccountForm(OwnerForm):
    """The form that confirms the deletion of an account."""

    waive = forms.BooleanField(required=False)
    current = current_password()
    always_asks = False

    def __init__(self, data: Any = None, *, worker: Worker, prove: Prove, given_up: str = "") -> None:
        super().__init__(data, worker=worker, prove=prove)
        if given_up:
            self.fields["waive"] = forms.BooleanField(
                label=f"Delete now. I give up {given_up}.",
                error_messages={
                    "required": "Tick this to delete the account now, or wait until you are paid."
                },
            )
        else:
            del self.fields["waive"]
