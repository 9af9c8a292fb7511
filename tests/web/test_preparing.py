"""A campaign from its first settings to its launch, a page a step; every field with what cannot be."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from config.background.attending import work_off_everything
from config.background.models import Job
from judging.models import Campaign, CampaignChange, Pair, Place, Posting
from judging.services.campaigns import CampaignSettings, create_campaign
from judging.services.launching import launch
from judging.services.preparing import change_settings
from judging.services.trials import start_trial
from pooling.models import Membership, Passage
from tests.factories import make_qrels
from tests.judging.cast import Fair
from tests.judging.conftest import crowd as crowd
from web.preparing_forms import PayForm, SettingsForm
from web.views import preparing

DRAFT = "/campaigns/fair/prepare/"
GARBAGE = ("", "x", "-1", "1e400", "9" * 400, "nan", "<script>", "\x00")


@pytest.fixture
def fair(crowd, db, django_user_model):
    """Four queries of three passages with labels, and a manager."""
    fair = Fair(crowd)
    labels = [(f"q{number}", f"q{number}-a", 1) for number in range(4)]
    fair.pool.qrel_set = make_qrels(fair.collection, "official", labels)
    fair.pool.save()
    fair.mia = django_user_model.objects.create_user("mia")
    Membership.objects.create(collection=fair.collection, user=fair.mia, role="manager")
    return fair


@pytest.fixture
def manager(client, fair):
    client.force_login(fair.mia)
    return client


@pytest.fixture
def draft(fair) -> Campaign:
    """A draft that nobody prepared yet, at the fake crowd."""
    settings = CampaignSettings(gold_per_task=1, max_tasks_per_worker=2, pairs_per_task=3)
    campaign = create_campaign(name="fair", settings=settings, pool=fair.pool)
    Campaign.objects.filter(pk=campaign.pk).update(crowd="fake")
    return campaign


@pytest.fixture
def ready(fair) -> Campaign:
    """A draft that passes the check list: four tasks."""
    return fair.draft(gold_per_task=1, max_tasks_per_worker=2, pairs_per_task=3)


def texts(reply) -> str:
    """What the page says, tags and runs of white space aside."""
    return " ".join(re.sub(r"<[^>]*>", " ", reply.content.decode()).split())


def shown(campaign: Campaign, form) -> dict[str, str]:
    """What a browser sends when nobody changed the form of this campaign."""
    values = form.values_of(
        CampaignSettings(**{n: getattr(campaign, n) for n in CampaignSettings().values()})
    )
    values |= {"minimum_hourly": campaign.minimum_hourly}
    sent = {name: values[name] for name in form.base_fields}
    return as_sent(sent)


def as_sent(values) -> dict[str, str]:
    """Values of fields as a browser sends them: a box that is not ticked is not sent."""
    kept = {name: value for name, value in values.items() if value is not None and value is not False}
    return {name: "on" if value is True else str(value) for name, value in kept.items()}


def test_a_draft_begins_with_the_reference_settings(manager, fair):
    page = manager.get("/collections/fair-collection/campaigns/new/?pool=fair-pool")
    form = page.context["form"]
    sent = as_sent({name: form[name].value() for name in form.fields})

    made = manager.post("/collections/fair-collection/campaigns/new/", sent | {"name": "first"})
    taken = manager.post("/collections/fair-collection/campaigns/new/", sent | {"name": "first"})

    campaign = Campaign.objects.get()
    assert made["Location"] == "/campaigns/first/prepare/gold/"
    assert (campaign.pairs.count(), campaign.reward, campaign.gold_per_task) == (12, Decimal("2.00"), 3)
    assert campaign.changes.get().who == "mia"
    assert taken.status_code == 422
    assert "There is a campaign called" in texts(taken)


def test_nonsense_in_every_setting_is_said_and_nothing_changes(manager, draft):
    before = Campaign.objects.values().get()
    for step, form in (("settings", SettingsForm), ("pay", PayForm)):
        sent = shown(draft, form)
        for name, field in form.base_fields.items():
            for value in GARBAGE:
                if type(field).__name__ in ("BooleanField", "CharField") or (
                    not value and not field.required
                ):
                    continue
                if (name, value) == ("seed", "-1"):  # that one can be
                    continue
                reply = manager.post(f"{DRAFT}{step}/", sent | {name: value})

                assert reply.status_code == 422, (name, value)
                assert f'id="id_{name}_error"' in reply.content.decode(), (name, value)
    assert (
        manager.post(f"{DRAFT}settings/", shown(draft, SettingsForm) | {"contact": "\x00"}).status_code == 422
    )

    assert Campaign.objects.values().get() == before


def test_settings_that_pack_tasks_pack_them_anew(manager, draft):
    assert draft.tasks.count() == 4
    sent = shown(draft, SettingsForm)

    manager.post(f"{DRAFT}settings/", sent | {"pairs_per_task": "6", "judgments_per_pair": "2", "stay": "1"})

    draft.refresh_from_db()
    assert (draft.tasks.count(), Pair.objects.count()) == (4, 12)
    assert draft.changes.filter(what="settings changed").get().why == "pairs per task, judgments per pair"


def test_tasks_that_somebody_saw_are_not_packed_anew(manager, ready):
    manager.post(f"{DRAFT}texts/trial")
    campaign = Campaign.objects.get()
    start_trial(Posting.objects.get())

    reply = manager.post(f"{DRAFT}settings/", shown(campaign, SettingsForm) | {"pairs_per_task": "2"})

    assert reply.status_code == 422
    assert "Somebody has seen tasks" in texts(reply)
    assert campaign.tasks.count() == 4


def test_texts_have_to_be_accepted_again_when_what_they_tell_changes(fair, ready):
    change_settings(ready, {"mark_query_words": True})
    assert ready.texts_accepted_at

    change_settings(ready, {"reward": Decimal("3.00")})

    assert not ready.texts_accepted_at


def test_another_language_brings_its_own_texts_unless_somebody_wrote_some(fair, draft):
    Campaign.objects.update(instructions_text="Judge well.")
    draft.refresh_from_db()

    change_settings(draft, {"language": "de"})

    assert "Einwilligung" in draft.consent_text or "Sie" in draft.consent_text
    assert draft.instructions_text == "Judge well."


def test_test_pairs_are_proposed_decided_and_decided_anew(manager, fair, draft):
    for number in range(4):
        Passage.objects.filter(pid=f"q{number}-a").update(
            text=f"Everything worth knowing about number {number}"
        )
    assert "Nothing is proposed yet" in texts(manager.get(f"{DRAFT}gold/"))

    manager.post(f"{DRAFT}gold/propose")
    assert "Waiting for its turn" in texts(manager.get(f"{DRAFT}gold/"))
    work_off_everything()
    first = draft.gold_pairs.order_by("pk").first()
    assert first.query.text in texts(manager.get(f"{DRAFT}gold/"))

    accepted = manager.post(f"{DRAFT}gold/decide", {"gold": first.pk, "decision": "accept"}, follow=True)
    assert "was accepted" in texts(accepted)
    assert draft.gold_pairs.get(pk=first.pk).decided_by == "mia"
    manager.post(f"{DRAFT}gold/decide", {"gold": first.pk, "decision": "reopen"})
    assert draft.gold_pairs.get(pk=first.pk).state == "proposed"
    manager.post(f"{DRAFT}gold/decide", {"gold": first.pk, "decision": "drop"})
    assert first.query.text in texts(manager.get(f"{DRAFT}gold/?show=dropped"))
    manager.post(f"{DRAFT}gold/decide", {"decision": "accept-all"})

    states = set(draft.gold_pairs.exclude(pk=first.pk).values_list("state", flat=True))
    assert states == {"accepted"}


def test_nonsense_about_test_pairs_changes_none(manager, ready):
    before = list(ready.gold_pairs.values())
    for gold in ("", "x", "0", "9" * 400, "-1"):
        for decision in ("accept", "reopen", "", "<b>"):
            assert (
                manager.post(f"{DRAFT}gold/decide", {"gold": gold, "decision": decision}).status_code == 302
            )
    for address in ("?last=x", "?last=" + "9" * 400, "?show=<b>", "?page=x"):
        assert manager.get(f"{DRAFT}gold/{address}").status_code == 200

    assert list(ready.gold_pairs.values()) == before


def test_texts_are_saved_accepted_and_shown_before_they_are_saved(manager, draft):
    sent = {"consent": "You agree to {pairs} pairs.", "instructions": "Choose.", "example": ""}

    preview = manager.post(f"{DRAFT}texts/preview", sent | {"page": "consent"})
    pairs = manager.post(f"{DRAFT}texts/preview", sent | {"page": "pairs", "example": "half written"})
    offer = manager.get(f"{DRAFT}texts/preview?page=offer")

    assert "You agree to 4 pairs." in texts(preview)
    assert texts(pairs).count("This is q") == 6
    assert offer.status_code == 200
    for reply in (preview, pairs, offer):
        assert reply["X-Frame-Options"] == "SAMEORIGIN"
        assert "frame-ancestors 'self'" in reply["Content-Security-Policy"]
        assert "form-action 'none'" in reply["Content-Security-Policy"]
    draft.refresh_from_db()
    assert "You agree to" not in draft.consent_text

    manager.post(f"{DRAFT}texts/", sent)
    draft.refresh_from_db()
    assert (draft.consent_text, draft.texts_accepted_at) == ("You agree to {pairs} pairs.", None)
    manager.post(f"{DRAFT}texts/", sent | {"accept": "1"})
    draft.refresh_from_db()
    assert draft.texts_accepted_by == "mia"
    manager.post(f"{DRAFT}texts/usual")
    draft.refresh_from_db()
    assert "You agree to" not in draft.consent_text
    assert draft.texts_accepted_at is None


def test_texts_that_cannot_be_are_said(manager, draft):
    sent = {"consent": "C", "instructions": "I", "example": ""}
    before = Campaign.objects.values().get()
    for field, value in (
        ("consent", " "),
        ("instructions", ""),
        ("example", "Question: only"),
        ("consent", "x" * 20_001),
        ("ethics_approval", "x" * 201),
        ("content_warning", "\x00"),
    ):
        assert manager.post(f"{DRAFT}texts/", sent | {field: value, "accept": "1"}).status_code == 422, field

    assert Campaign.objects.values().get() == before


def test_the_pay_page_tells_what_is_not_saved_yet(manager, draft):
    sent = shown(draft, PayForm) | {"reward": "4.00", "minimum_hourly": "300"}

    told = texts(manager.get(f"{DRAFT}pay/", sent))

    assert "$4.00" in told
    assert "less than the $300.00 you promise" in told
    draft.refresh_from_db()
    assert draft.reward == Decimal("2.00")
    manager.post(f"{DRAFT}pay/", sent | {"budget": "100"})
    draft.refresh_from_db()
    assert (draft.reward, draft.budget, draft.minimum_hourly) == (4, 100, 300)
    manager.post(f"{DRAFT}pay/", sent | {"budget": "", "minimum_hourly": ""})
    draft.refresh_from_db()
    assert (draft.budget, draft.minimum_hourly) == (None, None)


def test_the_check_list_says_all_that_is_wrong_and_where_it_is_put_right(manager, draft):
    page = manager.get(f"{DRAFT}check/")

    assert "2 of 9 did not pass" in texts(page)
    assert f'href="{DRAFT}gold/"' in page.content.decode()
    assert f'href="{DRAFT}texts/"' in page.content.decode()
    assert "2 checks did not pass" in texts(manager.get(f"{DRAFT}launch/"))
    refused = manager.post(f"{DRAFT}launch/", {"amount": "9.60"})
    assert refused.status_code == 422
    assert not Posting.objects.exists()


def test_a_wrong_amount_launches_nothing(manager, ready):
    for amount in ("", "9.59", "9.61", "0", "x", "nan", "-9.60", "9" * 400, "9.600"):
        reply = manager.post(f"{DRAFT}launch/", {"amount": amount})

        assert reply.status_code == 422, amount
    ready.refresh_from_db()
    assert ready.state == "draft"
    assert not Place.objects.exists()


def test_a_launch_that_is_sent_twice_launches_and_offers_once(manager, ready, crowd):
    page = manager.get(f"{DRAFT}launch/")
    assert "Launch fair and spend up to $9.60" in texts(page)

    first = manager.post(f"{DRAFT}launch/", {"amount": "$9.60"})
    second = manager.post(f"{DRAFT}launch/", {"amount": "$9.60"})
    work_off_everything()

    assert first["Location"] == second["Location"] == "/campaigns/fair/"
    ready.refresh_from_db()
    assert (ready.state, ready.budget, ready.confirmed_spend) == ("open", Decimal("9.60"), Decimal("9.60"))
    assert CampaignChange.objects.filter(what="open").values_list("who", flat=True).get() == "mia"
    assert Posting.objects.count() == 1
    assert Place.objects.count() == len(crowd.posted) == 4


def test_the_loser_of_a_race_is_led_to_the_launched_campaign(manager, ready, monkeypatch):
    def overtaken(campaign, **given):
        launch(Campaign.objects.get(pk=campaign.pk))
        return real(campaign, **given)

    real = preparing.launch_confirmed
    monkeypatch.setattr(preparing, "launch_confirmed", overtaken)

    reply = manager.post(f"{DRAFT}launch/", {"amount": "9.60"})

    assert reply["Location"] == "/campaigns/fair/"
    assert Posting.objects.count() == 1


def test_a_budget_is_what_a_launch_is_confirmed_by(manager, ready):
    Campaign.objects.update(budget=Decimal("50.00"))

    assert manager.post(f"{DRAFT}launch/", {"amount": "9.60"}).status_code == 422
    assert manager.post(f"{DRAFT}launch/", {"amount": "50"}).status_code == 302


def test_a_pilot_is_offered_once_and_ended(manager, ready, crowd):
    assert "Offer 2 tasks and spend up to $4.80" in texts(manager.get(f"{DRAFT}pilot/?tasks=2"))
    for sent in (
        {"tasks": "2", "amount": "4.79"},
        {"tasks": "99", "amount": "1"},
        {"tasks": "x", "amount": "x"},
    ):
        assert manager.post(f"{DRAFT}pilot/", sent).status_code == 422

    for _ in range(2):
        manager.post(f"{DRAFT}pilot/", {"tasks": "2", "amount": "4.80"})
    work_off_everything()

    ready.refresh_from_db()
    assert ready.state == "piloting"
    assert Place.objects.count() == len(crowd.posted) == 2
    assert "The pilot is under way" in texts(manager.get(f"{DRAFT}pilot/"))
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}pilot/"
    manager.post(f"{DRAFT}pilot/end")
    ready.refresh_from_db()
    assert ready.state == "piloted"


def test_rehearsing_is_one_job_and_nonsense_is_none(manager, ready):
    sent = {
        "truth": "official",
        "workers": "5",
        "careless": "1",
        "error": "0.1",
        "gold_error": "0",
        "seed": "1",
    }
    for field in sent:
        for value in GARBAGE:
            assert manager.post(f"{DRAFT}rehearsal/", sent | {field: value}).status_code == 422, (
                field,
                value,
            )
    assert manager.post(f"{DRAFT}rehearsal/", sent | {"careless": "6"}).status_code == 422
    assert not Job.objects.exists()

    for _ in range(2):
        assert manager.post(f"{DRAFT}rehearsal/", sent).status_code == 302

    assert Job.objects.get().arguments["settings"]["workers"] == 5
    assert "Waiting for its turn" in texts(manager.get(f"{DRAFT}rehearsal/"))


def test_why_a_rehearsal_failed_is_said(manager, ready):
    Job.objects.create(
        kind="web.rehearse",
        key=f"web.rehearse:{ready.pk}",
        state="failed",
        failure_message="4 tasks are left.",
        next_step="Give more workers.",
    )

    assert "4 tasks are left. Give more workers." in texts(manager.get(f"{DRAFT}rehearsal/"))


def test_a_launched_campaign_is_not_prepared(manager, ready):
    launch(ready)

    for step in ("settings", "gold", "texts", "pay", "rehearsal", "pilot", "check", "launch"):
        reply = manager.get(f"{DRAFT}{step}/")
        assert (reply.status_code, reply["Location"]) == (302, "/campaigns/fair/")


def test_one_leaves_and_comes_back_to_what_is_still_needed(manager, draft):
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}gold/"
    Campaign.objects.update(gold_per_task=0)
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}texts/"
    manager.post(f"{DRAFT}texts/", {"consent": "C", "instructions": "I", "accept": "1"})
    assert manager.get(DRAFT)["Location"] == f"{DRAFT}check/"


def test_who_only_looks_or_brings_runs_prepares_nothing(client, fair, draft, django_user_model):
    for role in ("viewer", "maintainer"):
        client.force_login(user := django_user_model.objects.create_user(role))
        Membership.objects.create(collection=fair.collection, user=user, role=role)

        assert client.get(f"{DRAFT}settings/").status_code == 403
        assert client.post(f"{DRAFT}launch/", {"amount": "9.60"}).status_code == 403
