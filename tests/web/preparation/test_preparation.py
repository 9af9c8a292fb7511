"""A campaign from its first settings to its pay, one page per step; every field with invalid values."""

from decimal import Decimal

import pytest
from django.core.management import load_command_class

from judging.campaign.campaign_settings import change_settings
from judging.campaign.screening_forecast import recommended_rule
from judging.models import Campaign, Pair, Posting
from judging.page.trials import start_trial
from pooling.models import Passage
from tests.due_jobs import work_off_everything
from tests.judging.conftest import crowd as crowd
from tests.web.preparing_cast import (
    DRAFT,
    GARBAGE,
    as_sent,
    draft as draft,
    fair as fair,
    manager as manager,
    ready as ready,
    shown,
    texts,
)
from web.preparation.forms import PayForm, SettingsForm


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
    assert "A campaign called" in texts(taken)


def test_the_form_the_command_and_the_documents_name_the_same_default_rule(manager, fair, settings):
    form = manager.get("/collections/fair-collection/campaigns/new/?pool=fair-pool").context["form"]
    default = form["screen"].value()
    words = {
        name: (settings.BASE_DIR / "docs" / f"{name}.md").read_text()
        for name in ("methods-screening", "requester-guide")
    }
    parser = load_command_class("judging", "create_campaign").create_parser("manage.py", "create_campaign")

    assert default == parser.get_default("screen") == "reference"
    assert "A draft starts with the rule of the reference experiment" in form.fields["screen"].help_text
    assert f"| `{default}` (default) |" in words["methods-screening"]
    assert f"Every draft starts with `{default}`" in words["methods-screening"]
    assert f"- **`{default}`** (default)" in words["requester-guide"]


@pytest.mark.soak
def test_invalid_settings_are_explained_and_nothing_changes(manager, draft):
    before = Campaign.objects.values().get()
    for step, form in (("settings", SettingsForm), ("pay", PayForm)):
        sent = shown(draft, form)
        for name, field in form.base_fields.items():
            for value in GARBAGE:
                if type(field).__name__ in ("BooleanField", "CharField") or (
                    not value and not field.required
                ):
                    continue
                if (name, value) == ("seed", "-1"):  # this one is valid
                    continue
                reply = manager.post(f"{DRAFT}{step}/", sent | {name: value})

                assert reply.status_code == 422, (name, value)
                assert f'id="id_{name}_error"' in reply.content.decode(), (name, value)
    assert (
        manager.post(f"{DRAFT}settings/", shown(draft, SettingsForm) | {"contact": "\x00"}).status_code == 422
    )

    assert Campaign.objects.values().get() == before


def test_settings_of_task_sizes_repack_the_tasks(manager, draft):
    assert draft.tasks.count() == 4
    sent = shown(draft, SettingsForm)

    manager.post(f"{DRAFT}settings/", sent | {"pairs_per_task": "6", "judgments_per_pair": "2", "stay": "1"})

    draft.refresh_from_db()
    assert (draft.tasks.count(), Pair.objects.count()) == (4, 12)
    assert draft.changes.filter(what="settings changed").get().why == "pairs per task, judgments per pair"


def test_the_log_names_settings_as_the_form_does(manager, draft):
    manager.post(f"{DRAFT}settings/", shown(draft, SettingsForm) | {"screen": "rate", "task_minutes": "45"})

    why = draft.changes.filter(what="settings changed").get().why
    assert why == "effect of a failed gold pair, minutes per task"


@pytest.mark.parametrize("step", ["settings", "check", "launch"])
def test_the_recommended_screening_rule_is_one_click_away(manager, ready, step):
    best = recommended_rule(ready)
    assert best != ready.screen

    page = manager.get(f"{DRAFT}{step}/")
    reply = manager.post(f"{DRAFT}screen")

    assert (
        f"Recommended screening rule for this campaign: {best}. {ready.screen.capitalize()} is chosen now."
        in texts(page)
    )
    ready.refresh_from_db()
    assert (ready.screen, ready.texts_accepted_at) == (best, None)
    assert reply.url == f"{DRAFT}"
    assert f"The screening rule is now {best}." in texts(manager.get(f"{DRAFT}texts/"))
    assert "Recommended screening rule" not in texts(manager.get(f"{DRAFT}settings/"))


def test_without_test_pairs_no_rule_is_recommended(manager, fair):
    campaign = fair.draft(gold_per_task=0, screen="rate")

    assert recommended_rule(campaign) == "rate"
    assert "Recommended screening rule" not in texts(manager.get(f"{DRAFT}settings/"))


def test_tasks_that_somebody_saw_are_not_repacked(manager, ready):
    manager.post(f"{DRAFT}texts/trial")
    campaign = Campaign.objects.get()
    start_trial(Posting.objects.get())

    reply = manager.post(f"{DRAFT}settings/", shown(campaign, SettingsForm) | {"pairs_per_task": "2"})

    assert reply.status_code == 422
    assert "Somebody has already seen tasks" in texts(reply)
    assert campaign.tasks.count() == 4


def test_texts_must_be_accepted_again_when_their_values_change(fair, ready):
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


def test_gold_pairs_are_proposed_decided_and_decided_again(manager, fair, draft):
    for number in range(4):
        Passage.objects.filter(pid=f"q{number}-a").update(
            text=f"Everything worth knowing about number {number}"
        )
    assert "Nothing is proposed yet" in texts(manager.get(f"{DRAFT}gold/"))

    manager.post(f"{DRAFT}gold/propose")
    assert "No background worker is running." in texts(manager.get(f"{DRAFT}gold/"))
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


def test_invalid_decisions_change_no_gold_pair(manager, ready):
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
    assert "You agree to" in draft.consent_text
    manager.post(f"{DRAFT}texts/usual", {"sure": "1"})
    draft.refresh_from_db()
    assert "You agree to" not in draft.consent_text
    assert draft.texts_accepted_at is None


def test_invalid_texts_are_explained(manager, draft):
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


def test_the_pay_page_shows_the_effect_of_unsaved_values(manager, draft):
    sent = shown(draft, PayForm) | {"reward": "4.00", "minimum_hourly": "300"}

    told = texts(manager.get(f"{DRAFT}pay/", sent))

    assert "$4.00" in told
    assert "less than the $300.00 you promise" in told
    draft.refresh_from_db()
    assert draft.reward == Decimal("2.00")
    saved = texts(manager.post(f"{DRAFT}pay/", sent | {"budget": "100"}, follow=True))
    assert "Saved: “Dollars per whole task”, “Budget”, “Minimum hourly pay”." in saved
    draft.refresh_from_db()
    assert (draft.reward, draft.budget, draft.minimum_hourly) == (4, 100, 300)
    manager.post(f"{DRAFT}pay/", sent | {"budget": "", "minimum_hourly": ""})
    draft.refresh_from_db()
    assert (draft.budget, draft.minimum_hourly) == (None, None)


def test_a_rehearsal_shows_missing_steps_before_it_is_started(manager, draft):
    draft.gold_pairs.all().delete()
    Campaign.objects.filter(pk=draft.pk).update(texts_accepted_at=None)
    lacking = texts(manager.get(f"{DRAFT}rehearsal/"))

    assert "Needed first: Gold pairs (0 of " in lacking
    assert "Needed first: Texts (not accepted yet)" in lacking
    assert "<button disabled>Rehearse" in manager.get(f"{DRAFT}rehearsal/").content.decode()


def test_a_rehearsal_can_start_when_nothing_is_needed(manager, ready):
    page = manager.get(f"/campaigns/{ready.name}/prepare/rehearsal/")

    assert not page.context["lacking"]
    assert '<button class="primary">Rehearse' in page.content.decode()


def test_gold_pairs_that_nobody_reads_are_accepted_together(manager, draft):
    Campaign.objects.filter(pk=draft.pk).update(placeholder_text=True)
    manager.post(f"{DRAFT}gold/propose")
    work_off_everything()
    page = manager.get(f"{DRAFT}gold/").content.decode()

    assert page.count('value="accept-all"') == 1
    assert f'value="accept-all">Accept all {draft.gold_pairs.count()} gold pair' in page
    assert "Accept all without review" not in page
