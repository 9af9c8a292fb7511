"""Forms of graded campaigns."""

from dataclasses import fields
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import QueryDict

from judging.errors import BadInput
from judging.grading.graded_campaigns import MOST_BUDGET, GradingSettings
from judging.rules.grade_scale import FORM, FOUR_LEVELS, parse_scale, scale_text
from judging.rules.topic_life import LABELS, LifeRules, check_rules
from pooling.models import Collection, Pool


class NewGradedCampaign(forms.Form):
    """The settings of a new graded campaign, with those of TREC 2022 Deep Learning as defaults."""

    name = forms.SlugField(max_length=80)
    pool = forms.ModelChoiceField(
        Pool.objects.none(),
        to_field_name="name",
        help_text="Every query of the pool is a topic. TREC 2022 Deep Learning pooled each run's top ten passages.",
    )
    scale = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 9}), initial=scale_text(FOUR_LEVELS), help_text=FORM
    )
    min_grade = forms.IntegerField(initial=2, min_value=1, max_value=9, label="Relevant from grade")
    budget = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_BUDGET,
        help_text="The maximum number of passages judged. Leave empty for no limit.",
    )
    instructions = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For assessors.",
    )
    learn_from_all = forms.BooleanField(
        required=False,
        label="Active learning also uses the grades of the collection’s other graded campaigns",
    )
    placeholder_text = forms.BooleanField(
        required=False, label="Show placeholders for passages without text, for a rehearsal"
    )
    small_pools = forms.BooleanField(
        required=False, label="Accept small pools, although the rules discard their topics early"
    )

    def __init__(self, collection: Collection, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        pools = collection.pools.order_by("name")
        self.fields["pool"].queryset = pools  # type: ignore[attr-defined]
        if len(pools) == 1:
            self.fields["pool"].initial = pools[0]
        for rule in fields(LifeRules):
            share = isinstance(rule.default, float)
            kind = forms.FloatField if share else forms.IntegerField
            self.fields[rule.name] = kind(
                initial=rule.default, label=LABELS[rule.name], min_value=0 if share else 1
            )

    def clean_scale(self) -> Any:
        """Parse the text into the levels of the scale."""
        return _as_form_error(lambda: parse_scale(self.cleaned_data["scale"]))

    def clean(self) -> dict[str, Any]:
        """Check the rules together, so that the form reports the same problems as the service."""
        said = super().clean() or {}
        _as_form_error(lambda: check_rules(self._rules(said)))
        return said

    def _rules(self, said: dict[str, Any]) -> dict[str, Any]:
        defaults = vars(LifeRules())
        return {rule: said[rule] for rule in LABELS if rule in said and said[rule] != defaults[rule]}

    @classmethod
    def plan(cls, collection: Collection, given: QueryDict) -> tuple[Pool, GradingSettings] | None:
        """Return the pool, and the settings that determine the effort; None if one of them is missing or invalid.

        Fields that are not given have their defaults.
        """
        usual = {name: field.initial for name, field in cls(collection).fields.items()}
        form = cls(collection, usual | given.dict())
        if form.errors.keys() & {"pool", "budget", NON_FIELD_ERRORS, *LABELS}:
            return None
        said = form.cleaned_data
        return said["pool"], GradingSettings(rules=form._rules(said), budget=said["budget"])

    def settings(self) -> GradingSettings:
        """Return the entered values as settings of a graded campaign."""
        said = self.cleaned_data
        plain = (
            "scale",
            "min_grade",
            "budget",
            "learn_from_all",
            "instructions",
            "placeholder_text",
            "small_pools",
        )
        return GradingSettings(**{name: said[name] for name in plain}, rules=self._rules(said))


def _as_form_error(read: Any) -> Any:
    try:
        return read()
    except BadInput as refusal:
        raise forms.ValidationError(str(refusal)) from None
