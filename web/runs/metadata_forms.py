"""Forms for the details of runs: a table that describes many runs, and the details that a collection requests."""

from typing import Any

from django import forms

from pooling.models import Collection
from pooling.run_details import BY_NAME
from pooling.services.run_fields import MOST_OWN, asked_details, known_details
from pooling.services.run_metadata import MOST_BYTES
from web.common.seen_values import SeenValuesForm


class RunTable(forms.Form):
    """A table of run descriptions, as a file or pasted."""

    table = forms.FileField(required=False, label="Table", help_text="TSV or CSV in UTF-8, with a header.")
    pasted = forms.CharField(
        required=False,
        max_length=MOST_BYTES,
        label="Or paste it",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )
    check_only = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Read the table into ``text`` and its name into ``name``."""
        said = super().clean() or {}
        file = said.get("table")
        if file and file.size > MOST_BYTES:
            raise forms.ValidationError("The file is larger than 20 MB. Split it.")
        if not file and not (said.get("pasted") or "").strip():
            raise forms.ValidationError("Choose a file, or paste the table.")
        try:
            said["text"] = file.read().decode() if file else said["pasted"]
        except UnicodeDecodeError:
            raise forms.ValidationError(
                "The file is not UTF-8 text. Save it as UTF-8 and send it again."
            ) from None
        said["name"] = file.name if file else "the table"
        return said


class RunFieldsForm(SeenValuesForm):
    """The details that a collection asks for, and its own fields."""

    asked = forms.MultipleChoiceField(
        label="Asked about every run",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Teams see these fields when they send a run. The submission policy decides which are required.",
    )
    own = forms.CharField(
        label="Own fields",
        required=False,
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One per line: name | label | definition | choices separated by commas, or nothing for free "
        f"text. At most {MOST_OWN}.",
    )

    def __init__(self, collection: Collection, data: Any = None) -> None:
        own = collection.run_fields.get("own", [])
        lines = [
            " | ".join([one["name"], one["label"], one["definition"], ", ".join(one["choices"])])
            for one in own
        ]
        asked = list(asked_details(collection))
        super().__init__(data, initial={"asked": asked, "own": "\n".join(lines)})
        field = self.fields["asked"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [
            (one.name, f"{one.label}: {one.explained}") for one in known_details(collection).values()
        ]

    def clean_own(self) -> list[dict[str, Any]]:
        found = []
        for line in self.cleaned_data["own"].splitlines():
            if line.strip():
                name, label, definition, choices = ([part.strip() for part in line.split("|")] + [""] * 4)[:4]
                found.append(
                    {
                        "name": name,
                        "label": label,
                        "definition": definition,
                        "choices": [one.strip() for one in choices.split(",") if one.strip()],
                    }
                )
        return found

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of ``set_run_fields``. A new own field is also requested."""
        own = self.cleaned_data["own"]
        before = {name for name, _ in self.fields["asked"].choices}  # type: ignore[attr-defined]
        kept = {one["name"] for one in own} | BY_NAME.keys()
        asked = [name for name in self.cleaned_data["asked"] if name in kept]
        return {"asked": asked + [one["name"] for one in own if one["name"] not in before], "own": own}
