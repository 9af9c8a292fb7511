"""Forms to prepare campaigns. The services check the rules; forms only parse values."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings

from config.errors import Refusal
from judging.campaign.campaigns import WHOLE_NUMBERS, CampaignSettings
from judging.campaign.setting_names import SETTING_NAMES, setting_names
from judging.campaign.worker_texts import LONGEST
from judging.models import Campaign
from judging.rules.slips import Slips
from judging.simulation.simulated_workers import SimulationSettings
from web.common.advanced_fields import AdvancedFields
from web.common.directions import guidance_text
from web.common.seen_values import SeenValuesForm
from web.preparation.grading_words import HELP_FOR_GRADES

DEFAULTS = CampaignSettings()


class Dollars(forms.DecimalField):
    """An amount with at most two decimals."""

    def __init__(self, **named: Any) -> None:
        super().__init__(max_digits=12, decimal_places=2, **named)


def _whole_number_field(name: str, words: str) -> forms.IntegerField:
    least, most = WHOLE_NUMBERS[name]
    return forms.IntegerField(label=SETTING_NAMES[name], help_text=words, min_value=least, max_value=most)


class OfSettings(SeenValuesForm):
    """A group of campaign settings. Errors from the service are shown next to their fields."""

    #: Setting → its form field, if the names differ.
    SHOWN_AS = {"assignment_seconds": "task_minutes"}

    def clean(self) -> dict[str, Any]:
        """Return the cleaned data, with saved values for unedited fields that were saved elsewhere meanwhile."""
        found = super().clean()
        return found | {name: self.initial.get(name) for name in self.shown_as_saved}

    def label_of(self, setting: str) -> str:
        """Return the label of the setting's field."""
        return str(self[self.SHOWN_AS.get(setting, setting)].label)

    def changes(self) -> dict[str, Any]:
        found = dict(self.cleaned_data)
        if "task_minutes" in found:
            found["assignment_seconds"] = 60 * found.pop("task_minutes")
        return {name: value for name, value in found.items() if name in CampaignSettings.__dataclass_fields__}

    @classmethod
    def values_of(cls, now: CampaignSettings) -> dict[str, Any]:
        return vars(now) | {"task_minutes": now.assignment_seconds // 60}

    def say(self, problems: dict[str, Any]) -> None:
        """Add each problem to its field, or to the form if its setting is on another page."""
        for name, refusal in problems.items():
            shown = self.SHOWN_AS.get(name, name)
            self.add_error(shown if shown in self.fields else None, guidance_text(refusal))

    def refused(self, refusal: Refusal) -> None:
        """Add the refusal to the whole form, because it concerns no single field."""
        self.add_error(None, guidance_text(refusal))


class SettingsForm(AdvancedFields, OfSettings):
    """The settings for judging. The defaults are those of the reference experiment."""

    ADVANCED = (
        "repeats_per_task",
        "max_tasks_per_worker",
        "slip_rate",
        "refuse_excluded_elsewhere",
        "mark_query_words",
        "minimum_seconds",
        "task_minutes",
        "minimum_age",
        "withdrawal_days",
        "answer_days",
        "placeholder_text",
        "seed",
    )

    pairs_per_task = _whole_number_field("pairs_per_task", "Gold pairs are added to these. Reference: 10.")
    gold_per_task = _whole_number_field(
        "gold_per_task",
        "Pairs with a known answer, hidden anywhere in the task. Reference: 3.",
    )
    repeats_per_task = _whole_number_field(
        "repeats_per_task",
        "Pairs from the worker's earlier tasks, with left and right swapped. They show how consistent a worker is "
        "and never count as judgments. Reference: 0.",
    )
    judgments_per_pair = _whole_number_field(
        "judgments_per_pair", "Each by a different person. Reference: 1."
    )
    max_tasks_per_worker = _whole_number_field(
        "max_tasks_per_worker",
        "Nobody sees a gold pair twice, so this decides how many are needed. In a small campaign, 20 is lowered to "
        "35% of the pairs: a worker who judges more can recognize gold pairs.",
    )
    screen = forms.ChoiceField(
        label=SETTING_NAMES["screen"],
        choices=[
            ("reference", "reference: one failure excludes the worker, and none of their judgments count"),
            ("two-strikes", "two strikes: the task is repeated; the second failure excludes the worker"),
            (
                "rate",
                "rate: the task is repeated; too many failures to be honest slips exclude the worker",
            ),
        ],
        help_text="An excluded worker's judgments do not count. A draft starts with the rule of the reference "
        "experiment. Its settings and check list recommend the rule that fits this campaign best.",
    )
    slip_rate = forms.FloatField(
        label=SETTING_NAMES["slip_rate"],
        min_value=0,
        max_value=0.5,
        help_text="Largest share of gold pairs that honest people are assumed to miss, 0 to 0.5. Until a pilot has "
        "measured the rate, the forecast ranges from a twentieth of this value up to it.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    preset = forms.ChoiceField(
        label=SETTING_NAMES["preset"],
        required=False,
        choices=[
            ("", "all workers of the crowd"),
            ("reference", "reference: in the US, over 10,000 approved tasks, at least 97% approved"),
        ],
        help_text="On the built-in marketplace, leave this open: you invite its workers yourself.",
    )
    refuse_excluded_elsewhere = forms.BooleanField(
        label=SETTING_NAMES["refuse_excluded_elsewhere"],
        required=False,
        help_text="For two or more failed gold pairs, for repeated work without a judged pair, or by a person's "
        "decision. Other collections' campaigns never count.",
    )
    allow_undecided = forms.BooleanField(
        label=SETTING_NAMES["allow_undecided"],
        required=False,
        help_text="It counts as half a win for each passage.",
    )
    mark_query_words = forms.BooleanField(label=SETTING_NAMES["mark_query_words"], required=False)
    minimum_seconds = _whole_number_field(
        "minimum_seconds",
        "0: at once. A few seconds slow down workers who only click.",
    )
    task_minutes = forms.IntegerField(
        label=SETTING_NAMES["assignment_seconds"],
        min_value=5,
        max_value=30 * 24 * 60,
        help_text="Shown to workers, who are warned five minutes before the end.",
    )
    language = forms.ChoiceField(
        label=SETTING_NAMES["language"], help_text="Passages keep the collection's language."
    )
    minimum_age = _whole_number_field("minimum_age", "Workers confirm it before they start. 0: no question.")
    withdrawal_days = _whole_number_field(
        "withdrawal_days", "Counted from submission. The consent text states it."
    )
    answer_days = _whole_number_field(
        "answer_days",
        "Workers see this. Appeals that wait longer are listed first.",
    )
    contact = forms.CharField(
        label=SETTING_NAMES["contact"],
        required=False,
        max_length=200,
        help_text="An address that somebody reads. Leave empty to use the crowd's own messages.",
    )
    placeholder_text = forms.BooleanField(
        label=f"{SETTING_NAMES['placeholder_text']}: show passages without text as placeholders",
        required=False,
        help_text="Then no real worker can take tasks. People need texts: add a passage file to the collection.",
    )
    seed = _whole_number_field("seed", "It decides which pairs share a task, their order, and their sides.")

    def __init__(self, *args: Any, graded: bool = False, **named: Any) -> None:
        """Set up the form. ``graded``: workers grade single passages, so settings about pairs are left out."""
        super().__init__(*args, **named)
        self.fields["language"].choices = settings.LANGUAGES  # type: ignore[attr-defined]
        names = setting_names(graded=graded)
        if graded:
            del self.fields["allow_undecided"], self.fields["repeats_per_task"]
            for name, words in HELP_FOR_GRADES.items():
                self.fields[name].label, self.fields[name].help_text = names[name], words


class NewCampaignForm(SettingsForm):
    """A name, a pool and the settings."""

    name = forms.CharField(
        label="Name", max_length=80, help_text="Letters, digits, hyphens and underscores; part of addresses."
    )
    pool = forms.ChoiceField(
        label="Pool", help_text="Any two of its passages for the same query make a pair."
    )
    field_order = ["name", "pool"]

    def __init__(self, *args: Any, pools: list[tuple[str, str]], **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["pool"].choices = pools  # type: ignore[attr-defined]


class PayForm(OfSettings):
    """The pay for a task, and the budget."""

    reward = Dollars(
        label=SETTING_NAMES["reward"],
        help_text="Independent of the answers. Reference: 2.00.",
    )
    pay = forms.ChoiceField(
        label=SETTING_NAMES["pay"],
        choices=[
            ("split", "split: a base reward for submitting, the rest as a bonus by judgments"),
            (
                "whole",
                "whole: everything for a finished task; you decide about tasks that were stopped early",
            ),
        ],
    )
    base_reward = Dollars(
        label=SETTING_NAMES["base_reward"],
        help_text="The base reward of split pay; the rest is the bonus.",
    )
    minimum_hourly = Dollars(
        label=SETTING_NAMES["minimum_hourly"],
        required=False,
        help_text="The launch is refused if the expected pay is lower. Leave empty to promise nothing.",
    )
    hold_hours = _whole_number_field(
        "hold_hours",
        "Lets a person check first. 0: submissions are paid when they are received.",
    )
    budget = Dollars(
        label=SETTING_NAMES["budget"],
        required=False,
        help_text="Spending limit in dollars, including fees and repeats. Empty: the amount you confirm at launch.",
    )


class TextsForm(SeenValuesForm):
    """Texts that workers read before they agree and while they judge; placeholders in braces are filled in."""

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
        help_text="Question, First passage, Second passage, Better, Why: each on its own line. Leave empty for none.",
    )
    content_warning = forms.CharField(
        label=SETTING_NAMES["content_warning"],
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown first. Leave empty for none.",
    )
    ethics_approval = forms.CharField(
        label=SETTING_NAMES["ethics_approval"],
        required=False,
        max_length=200,
        help_text="Who approved it, and the approval number.",
    )

    @classmethod
    def values_of(cls, campaign: Campaign) -> dict[str, str]:
        return {
            "consent": campaign.consent_text,
            "instructions": campaign.instructions_text,
            "example": campaign.example_text,
            "content_warning": campaign.content_warning,
            "ethics_approval": campaign.ethics_approval,
        }


class RehearsalForm(AdvancedFields):
    """The simulated workers of a rehearsal."""

    ADVANCED = ("error", "gold_error", "seed")

    truth = forms.ChoiceField(label="Grades they follow", help_text="A qrel set of the collection.")
    workers = forms.IntegerField(label="Simulated workers", min_value=1, max_value=200, initial=25)
    careless = forms.IntegerField(
        label="Careless workers", min_value=0, max_value=200, initial=4, help_text="They answer at random."
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
        label="Error rate on gold pairs",
        min_value=0,
        max_value=1,
        help_text="How often honest workers fail a gold pair, from 0 to 1.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    seed = forms.IntegerField(label="Seed", min_value=0, max_value=2**31, initial=1)

    def __init__(
        self, *args: Any, truths: list[str], slips: Slips, gold_words: str = "gold pair", **named: Any
    ) -> None:
        super().__init__(*args, **named)
        self.fields["gold_error"].label = f"Error rate on {gold_words}s"
        self.fields["truth"].choices = [(name, name) for name in truths]  # type: ignore[attr-defined]
        # Use the slip rate of the campaign's forecast, so that both agree.
        self.initial["gold_error"] = round(slips.expected, 4)
        self.fields["gold_error"].help_text = (
            f"How often honest workers fail a {gold_words}, from 0 to 1. The forecast expects "
            f"{slips.expected_words} ({slips.source}). Simulated workers take tasks until none are left; the "
            "forecast assumes that half of the people do only one task."
        )

    def settings(self) -> SimulationSettings:
        """Return the simulation's settings, without the qrel set that simulated workers follow."""
        names = SimulationSettings.__dataclass_fields__.keys() & self.cleaned_data.keys()
        return SimulationSettings(**{name: self.cleaned_data[name] for name in names})


class SimulationForm(RehearsalForm):
    """Simulated workers for the campaign itself; the name must be typed because their judgments stay."""

    sure = forms.CharField(label="Confirm", max_length=200)

    def __init__(self, *args: Any, name: str, **named: Any) -> None:
        super().__init__(*args, **named)
        self.name = name
        self.fields["sure"].help_text = f"Type {name}. Their judgments stay in it."

    def clean_sure(self) -> str:
        """Require the campaign's name as confirmation."""
        typed: str = self.cleaned_data["sure"]
        if typed != self.name:
            raise forms.ValidationError(f"Type {self.name} to confirm.")
        return typed


class PilotForm(forms.Form):
    """The number of tasks in a pilot, and whether their judgments count."""

    tasks = forms.IntegerField(label="Tasks", min_value=1, max_value=100_000, initial=10)
    counts = forms.BooleanField(
        label="Count its judgments", required=False, help_text="Otherwise others repeat its tasks."
    )


class AmountForm(forms.Form):
    """An amount, typed to confirm it. ``weak``: the person must also accept that the screening is weak."""

    amount = Dollars(label="Type the amount to confirm it", min_value=Decimal(0))
    accept_weak_screening = forms.BooleanField(
        label="Launch with weak screening",
        help_text="Workers who do not read pass too many tasks: see the check list for how many, and what helps.",
    )

    def __init__(self, data: Any = None, *, weak: bool = False, **named: Any) -> None:
        if data is not None and data.get("amount"):
            typed = data["amount"].replace("$", "").replace(",", "").strip()
            data = {"amount": typed, "accept_weak_screening": data.get("accept_weak_screening", "")}
        super().__init__(data, **named)
        if not weak:
            del self.fields["accept_weak_screening"]
