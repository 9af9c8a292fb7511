"""What people fill in to make campaigns. Rules are the services': forms only read values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings

from config.errors import Refusal
from judging.models import Campaign
from judging.screening import SLIP_RATE
from judging.services.campaigns import WHOLE_NUMBERS, CampaignSettings
from judging.services.texts import LONGEST
from judging.slips import Slips
from web.services.directions import said_plainly

DEFAULTS = CampaignSettings()


class Dollars(forms.DecimalField):
    """An amount with at most two decimals."""

    def __init__(self, **named: Any) -> None:
        super().__init__(max_digits=12, decimal_places=2, **named)


def _whole(name: str, label: str, words: str) -> forms.IntegerField:
    least, most = WHOLE_NUMBERS[name]
    return forms.IntegerField(label=label, help_text=words, min_value=least, max_value=most)


class OfSettings(forms.Form):
    """A part of a campaign's settings; what the service says against one stands at its field."""

    #: Setting → the field that shows it, where they are not the same.
    SHOWN_AS = {"assignment_seconds": "task_minutes"}

    def changes(self) -> dict[str, Any]:
        """The settings that the form says."""
        found = dict(self.cleaned_data)
        if "task_minutes" in found:
            found["assignment_seconds"] = 60 * found.pop("task_minutes")
        return {name: value for name, value in found.items() if name in CampaignSettings.__dataclass_fields__}

    @classmethod
    def values_of(cls, now: CampaignSettings) -> dict[str, Any]:
        """What the fields show for these settings."""
        values = {name: getattr(now, name) for name in now.__dataclass_fields__}
        return values | {"task_minutes": now.assignment_seconds // 60}

    def say(self, problems: dict[str, Any]) -> None:
        """Put each problem at its field; one whose setting is on another page stands above."""
        for name, refusal in problems.items():
            shown = self.SHOWN_AS.get(name, name)
            self.add_error(shown if shown in self.fields else None, said_plainly(refusal))

    def refused(self, refusal: Refusal) -> None:
        """Something that concerns no field alone."""
        self.add_error(None, said_plainly(refusal))


class SettingsForm(OfSettings):
    """What is asked of whom. The defaults are the reference experiment's."""

    pairs_per_task = _whole("pairs_per_task", "Pairs in a task", "Test pairs come on top. Reference: 10.")
    gold_per_task = _whole(
        "gold_per_task",
        "Test pairs in a task",
        "Hidden pairs with a known answer, anywhere in the task. Reference: 3.",
    )
    repeats_per_task = _whole(
        "repeats_per_task",
        "Repeated pairs in a task",
        "Pairs of an earlier task of the worker, with the sides swapped. They show how consistent a worker is, "
        "and never count as judgments. Reference: 0.",
    )
    judgments_per_pair = _whole(
        "judgments_per_pair", "Judgments of each pair", "By as many different people. Reference: 1."
    )
    max_tasks_per_worker = _whole(
        "max_tasks_per_worker",
        "Tasks one worker may do",
        "Nobody sees a test pair twice, so this decides how many are needed.",
    )
    screen = forms.ChoiceField(
        label="What a failed test pair means",
        choices=[
            ("reference", "reference: one failure excludes the worker, nothing of theirs counts"),
            ("two-strikes", "two strikes: the task is repeated; the second failure excludes the worker"),
            (
                "rate",
                "rate: the task is repeated; more failures than honest slips explain exclude the worker",
            ),
        ],
        help_text="An excluded worker's judgments do not count. A draft's settings compare the rules in a table.",
    )
    slip_rate = forms.FloatField(
        label="Honest slips",
        min_value=0,
        max_value=0.5,
        help_text="Share of test pairs that an honest person is taken to miss, 0 to 0.5. The forecast goes by it "
        "until a pilot has measured the rate.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    preset = forms.ChoiceField(
        label="Who may take tasks",
        required=False,
        choices=[
            ("", "everybody at the crowd"),
            ("reference", "reference: in the US, over 10,000 approved tasks, at least 97 % approved"),
        ],
        help_text="The built-in marketplace's people are invited by you: leave it open there.",
    )
    refuse_excluded_elsewhere = forms.BooleanField(
        label="Refuse workers whom another campaign of this collection excluded",
        required=False,
        help_text="For two failed test pairs or more, or by a person's decision. Other collections' campaigns never "
        "count.",
    )
    allow_undecided = forms.BooleanField(
        label="Offer “Cannot decide”", required=False, help_text="It gives each side half a win."
    )
    mark_query_words = forms.BooleanField(
        label="Mark the words of the question in both passages", required=False
    )
    minimum_seconds = _whole(
        "minimum_seconds",
        "Seconds before a pair can be answered",
        "0: at once. A few slow down who only clicks.",
    )
    task_minutes = forms.IntegerField(
        label="Minutes for a task",
        min_value=5,
        max_value=30 * 24 * 60,
        help_text="Shown to workers, who are warned five minutes before the end.",
    )
    language = forms.ChoiceField(
        label="Language of workers' pages", help_text="Passages keep the collection's language."
    )
    minimum_age = _whole("minimum_age", "Least age", "Workers confirm it before they begin. 0 asks nothing.")
    withdrawal_days = _whole(
        "withdrawal_days", "Days to take judgments back", "After sending off; the consent text names it."
    )
    answer_days = _whole(
        "answer_days",
        "Working days to answer an objection",
        "Workers are told. Objections that wait longer are listed first.",
    )
    contact = forms.CharField(
        label="Whom workers can write to",
        required=False,
        max_length=200,
        help_text="An address that somebody reads. Empty: the crowd's own messages.",
    )
    placeholder_text = forms.BooleanField(
        label="For simulated workers only: show passages without text as placeholders",
        required=False,
        help_text="Then no person is let in. People need texts: add a passage file to the collection.",
    )
    seed = _whole("seed", "Seed", "Packing, order and sides follow from it.")

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["language"].choices = settings.LANGUAGES  # type: ignore[attr-defined]


class NewCampaignForm(SettingsForm):
    """A name and a pool, and then the settings."""

    name = forms.CharField(
        label="Name", max_length=80, help_text="Letters, digits, hyphens and underscores; it is in addresses."
    )
    pool = forms.ChoiceField(label="Pool", help_text="Every two passages of a query in it make a pair.")
    field_order = ["name", "pool"]

    def __init__(self, *args: Any, pools: list[tuple[str, str]], **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["pool"].choices = pools  # type: ignore[attr-defined]


class PayForm(OfSettings):
    """What a task pays, and the most that is spent."""

    reward = Dollars(
        label="Dollars for a whole task",
        help_text="Whatever is chosen. Reference: 2.00.",
    )
    pay = forms.ChoiceField(
        label="How it is paid",
        choices=[
            ("split", "split: a base reward for sending off, the rest as a bonus by pairs judged"),
            ("whole", "whole: all of it for a finished task; you decide about one that was stopped early"),
        ],
    )
    base_reward = Dollars(
        label="Of it for sending off",
        help_text="The base reward of split pay; the rest is the bonus.",
    )
    minimum_hourly = Dollars(
        label="Least pay in an hour",
        required=False,
        help_text="The launch is refused when less is to be expected. Empty: nothing is promised.",
    )
    hold_hours = _whole(
        "hold_hours",
        "Hours between taking work in and paying it",
        "For a person who wants to look first. 0: work is paid as it is taken in.",
    )
    budget = Dollars(
        label="Budget",
        required=False,
        help_text="Dollars, fees and repeats included, that nothing goes beyond. Empty: what you confirm at launch.",
    )


class TextsForm(forms.Form):
    """What workers read before they agree; figures in braces are filled in."""

    consent = forms.CharField(
        label="Consent", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 12}), strip=False
    )
    instructions = forms.CharField(
        label="Instructions", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 12}), strip=False
    )
    example = forms.CharField(
        label="Worked example",
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Question, First passage, Second passage, Better, Why: each on a line of its own. Empty: none.",
    )
    content_warning = forms.CharField(
        label="Content warning",
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown first. Empty: none.",
    )
    ethics_approval = forms.CharField(
        label="Ethics approval", required=False, max_length=200, help_text="Who approved it, and number."
    )

    @classmethod
    def values_of(cls, campaign: Campaign) -> dict[str, str]:
        """What the fields show for a campaign."""
        return {
            "consent": campaign.consent_text,
            "instructions": campaign.instructions_text,
            "example": campaign.example_text,
            "content_warning": campaign.content_warning,
            "ethics_approval": campaign.ethics_approval,
        }


class RehearsalForm(forms.Form):
    """Who judges the copy, and how well."""

    truth = forms.ChoiceField(label="They follow the grades of", help_text="A qrel set of the collection.")
    workers = forms.IntegerField(label="Simulated workers", min_value=1, max_value=200, initial=25)
    careless = forms.IntegerField(
        label="Of them careless", min_value=0, max_value=200, initial=4, help_text="They answer at random."
    )
    error = forms.FloatField(
        label="Error rate",
        min_value=0,
        max_value=1,
        initial=0.1,
        help_text="How often the others answer against the grades, 0 to 1.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    gold_error = forms.FloatField(
        label="The same on obvious pairs",
        min_value=0,
        max_value=1,
        initial=SLIP_RATE,
        help_text="Honest slips on test pairs, 0 to 1.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    seed = forms.IntegerField(label="Seed", min_value=0, max_value=2**31, initial=1)

    def __init__(self, *args: Any, truths: list[str], slips: Slips, **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["truth"].choices = [(name, name) for name in truths]  # type: ignore[attr-defined]
        # Honest workers slip as often as the campaign's own forecast says, so that both tell the same story.
        self.initial["gold_error"] = round(slips.expected, 4)
        self.fields["gold_error"].help_text = (
            f"Honest slips on test pairs, 0 to 1. The forecast goes by {slips.expected_words} "
            f"({slips.source})."
        )


class SimulationForm(RehearsalForm):
    """Who judges the campaign itself; its name is typed, for what they judge stays."""

    sure = forms.CharField(label="Confirm", max_length=200)

    def __init__(self, *args: Any, name: str, **named: Any) -> None:
        super().__init__(*args, **named)
        self.name = name
        self.fields["sure"].help_text = f"Type {name}: what they judge stays in it."

    def clean_sure(self) -> str:
        """The campaign's name."""
        typed: str = self.cleaned_data["sure"]
        if typed != self.name:
            raise forms.ValidationError(f"Type {self.name} to confirm it.")
        return typed

    def settings(self) -> dict[str, Any]:
        """What was asked for, the confirmation apart."""
        return {name: value for name, value in self.cleaned_data.items() if name != "sure"}


class PilotForm(forms.Form):
    """A few tasks for people."""

    tasks = forms.IntegerField(label="Tasks", min_value=1, max_value=100_000, initial=10)
    counts = forms.BooleanField(
        label="Its judgments count", required=False, help_text="Otherwise others repeat its tasks."
    )


class AmountForm(forms.Form):
    """An amount, typed to confirm it."""

    amount = Dollars(label="Type the amount to confirm it", min_value=Decimal(0))

    def __init__(self, data: Any = None, **named: Any) -> None:
        if data is not None and data.get("amount"):
            typed = data["amount"].replace("$", "").replace(",", "").replace("\u2009", "").strip()
            data = {"amount": typed}
        super().__init__(data, **named)
