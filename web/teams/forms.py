from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from django import forms

from pooling.models import Round

#: Key → (time zone, label), for the zones in which deadlines can be entered.
ZONES = {"utc": (UTC, "UTC"), "aoe": (timezone(timedelta(hours=-12)), "anywhere on Earth (UTC−12)")}


class TeamForm(forms.Form):
    name = forms.CharField(
        max_length=200, label="Team", help_text="It cannot be changed, because runs are listed under it."
    )
    affiliation = forms.CharField(max_length=200, required=False, help_text="University or company.")


class ApplicationForm(TeamForm):
    """A request to submit to a board."""

    email = forms.EmailField(
        label="E-mail address",
        help_text="We send the answer there, with a link to sign in. Only the organizers see the address.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    words = forms.CharField(
        max_length=1000,
        required=False,
        label="About the team",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What you plan to submit, and anything the organizers should know.",
    )


class Moment(forms.DateTimeInput):
    """A date and a time, with the browser's picker."""

    input_type = "datetime-local"

    def __init__(self) -> None:
        super().__init__(attrs={"step": "1"}, format="%Y-%m-%dT%H:%M:%S")


_FORMATS = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]


class RoundForm(forms.Form):
    """A round: when it is open, and how many runs it accepts from a team."""

    name = forms.CharField(
        max_length=80,
        label="Name",
        help_text="Such as 2026. Enter the name of an existing round to change that round.",
    )
    opens_at = forms.CharField(label="Opens", widget=Moment())
    closes_at = forms.CharField(
        label="Closes",
        widget=Moment(),
        help_text="The last byte of a file must arrive before this time.",
    )
    zone = forms.ChoiceField(label="Time zone", choices=[(key, words) for key, (_, words) in ZONES.items()])
    most_runs = forms.IntegerField(label="Official runs per team", min_value=1, max_value=1000, initial=3)
    most_baselines = forms.IntegerField(
        label="Additional baseline runs per team", min_value=0, max_value=1000, initial=0
    )
    priorities = forms.BooleanField(required=False, label="Official runs need priorities 1, 2, …")

    def __init__(self, data: Any = None, *, planned: Round | None = None) -> None:
        """Fill the form with the values of the ``planned`` round, which keeps its name, or with defaults."""
        super().__init__(data, initial=_values_of(planned) if planned else None)
        self.planned = planned
        if planned:
            self.fields["name"].disabled = True
            self.fields["name"].help_text = "The name of a round cannot be changed."

    def clean(self) -> dict[str, Any]:
        """Parse both times in the chosen zone."""
        said = super().clean() or {}
        zone = ZONES[said.get("zone") or "utc"][0]
        for name in ("opens_at", "closes_at"):
            if name in said:
                said[name] = self._moment(name, said[name], zone)
        return said

    def _moment(self, name: str, text: str, zone: Any) -> datetime | None:
        for form in _FORMATS:
            try:
                return datetime.strptime(text.strip(), form).replace(tzinfo=zone)
            except ValueError:
                continue
        self.add_error(name, "Enter a date and a time, such as 2026-12-01 23:59.")
        return None

    def rules(self) -> dict[str, Any]:
        """Return the values as arguments of ``set_round``."""
        return {name: value for name, value in self.cleaned_data.items() if name != "zone"}


def _values_of(planned: Round) -> dict[str, Any]:
    return {
        "name": planned.name,
        "opens_at": planned.opens_at.astimezone(UTC),
        "closes_at": planned.closes_at.astimezone(UTC),
        "zone": "utc",
        "most_runs": planned.most_runs,
        "most_baselines": planned.most_baselines,
        "priorities": planned.priorities,
    }
