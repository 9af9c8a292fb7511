"""The cost shown beside a campaign's settings, before anything is saved."""

from decimal import Decimal

import pytest

from judging.models import Campaign
from pooling.models import Passage
from tests.judging.conftest import crowd as crowd
from tests.web.preparing_cast import (
    DRAFT,
    as_sent,
    draft as draft,
    fair as fair,
    manager as manager,
    shown,
    texts,
)
from web.preparation.forms import SettingsForm

NEW = "/collections/fair-collection/campaigns/new/"


@pytest.fixture
def sent(manager) -> dict[str, str]:
    """Return the fields that a browser sends from the new-campaign form before its name is typed."""
    form = manager.get(NEW).context["form"]
    return as_sent({name: form[name].value() for name in form.fields} | {"pool": "fair-pool", "name": ""})


def test_a_new_campaign_shows_the_cost_of_the_reference_settings(manager):
    reply = manager.get(NEW)

    cost = reply.context["cost"]
    assert (cost.pairs, cost.forecast.quote.tasks) == (12, 2)
    assert cost.forecast.quote.total == Decimal("4.80")
    assert "$4.80 for 2 tasks" in texts(reply)


def test_the_cost_follows_the_form_and_nothing_is_saved(manager, sent):
    reply = manager.get(NEW, sent | {"pairs_per_task": "3", "judgments_per_pair": "2"})

    assert reply.status_code == 200
    assert reply.context["cost"].forecast.quote.tasks == 8
    assert not reply.context["form"].errors
    assert not Campaign.objects.exists()


def test_without_scripts_a_button_calculates_and_keeps_what_was_typed(manager, sent):
    reply = manager.post(NEW, sent | {"pairs_per_task": "6", "calculate": "1"})

    assert "$4.80 for 2 tasks" in texts(reply)
    assert 'name="pairs_per_task" value="6"' in reply.content.decode()
    assert not Campaign.objects.exists()


def test_settings_and_pay_show_one_hourly_pay_and_the_one_that_workers_read(manager, request):
    Passage.objects.update(text=" ".join(["word"] * 60))
    request.getfixturevalue("draft")

    settings, pay = texts(manager.get(f"{DRAFT}settings/")), texts(manager.get(f"{DRAFT}pay/"))

    said = "estimated at 41 seconds a pair, by the length of the texts"
    assert f"Hourly pay $43.89 {said}" in settings
    assert (
        f"Hourly pay $43.89 {said}; a pilot measures it; workers read $40.00, with the minutes rounded up"
        in pay
    )


def test_a_name_is_needed_to_save(manager, sent):
    reply = manager.post(NEW, sent)

    assert reply.status_code == 422
    assert "name" in reply.context["form"].errors
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("wrong", [{"pairs_per_task": "0"}, {"pool": "nowhere"}, {"slip_rate": "nan"}])
def test_a_form_with_an_error_has_no_cost(manager, sent, wrong):
    reply = manager.get(NEW, sent | wrong)

    assert reply.context["cost"] is None
    assert "The cost appears when all values are valid." in texts(reply)


def test_an_error_in_a_folded_setting_unfolds_it(manager, sent):
    assert '<details class="advanced">' in manager.get(NEW).content.decode()
    assert '<details class="advanced" open>' in manager.get(NEW, sent | {"seed": "x"}).content.decode()


def test_every_setting_is_on_the_page_once(manager):
    form = manager.get(NEW).context["form"]
    parts = [field.name for field in [*form.essentials, *form.advanced]]

    assert sorted(parts) == sorted(form.fields)
    assert set(form.ADVANCED) <= set(form.fields)


def test_the_settings_of_a_draft_show_the_cost_at_its_own_pay(manager, draft):
    Campaign.objects.filter(pk=draft.pk).update(reward=Decimal("1.00"))
    before = Campaign.objects.values().get()

    page = manager.get(f"{DRAFT}settings/")
    doubled = manager.get(f"{DRAFT}settings/", shown(draft, SettingsForm) | {"judgments_per_pair": "2"})

    assert page.context["cost"].forecast.quote.total == Decimal("4.80")
    assert doubled.context["cost"].forecast.quote.total == Decimal("9.60")
    assert "At $1.00 a task" in texts(page)
    assert Campaign.objects.values().get() == before
