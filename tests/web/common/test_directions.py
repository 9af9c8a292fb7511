"""How pages and the API render texts that name an action or an option."""

import re
from html import unescape

import pytest
from django.contrib.auth import get_user
from django.core.management import get_commands
from django.urls import reverse

from accounts.roles import who_can
from config.errors import Refusal
from config.guidance import Action, Guidance, TerminalOnly, stored
from judging.campaign.campaigns import CampaignSettings
from judging.models import Campaign
from pooling.files.mistaken_files import where_it_belongs
from pooling.models import Collection
from tests.web.api.test_call_permissions import TABLE
from tests.web.conftest import PEOPLE
from web.common.access import Reader
from web.common.campaign_steps import idle_campaign_direction
from web.common.directions import (
    CALLS,
    NEW_COLLECTION,
    PAGES,
    guidance_for_programs,
    guidance_html,
    guidance_text,
)

RAISE = Action("raise_budget", "first", "12.50")


def test_an_action_becomes_a_link_to_its_page():
    said = guidance_html(Guidance("The budget is used up. ", RAISE, ", or judge fewer queries."))

    assert said == (
        'The budget is used up. <a href="/campaigns/first/budget/">Change the budget</a>, or judge fewer queries.'
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"q1 0 p1 1", "Choose it as Qrels."),
        (b"q1 how do bees make honey", "Choose it as Queries or Passages."),
        (b"q1 Q0 p1 1 12.5 tag", "Create the collection without it, then upload runs."),
    ],
)
def test_a_file_for_another_field_is_named_where_the_collection_is_still_to_be_created(line, said):
    assert guidance_text(where_it_belongs(line.split()), collection=NEW_COLLECTION).endswith(said)


def test_two_actions_become_two_links():
    propose, accept = Action("propose_gold", "a"), Action("accept_gold", "a", lead="")
    said = guidance_html(Guidance(propose, " and then ", accept, ", once more."))

    assert re.findall(r">([^<]+)</a>", said) == ["Propose gold pairs", "accept gold pairs"]
    assert said.endswith(", once more.")


def test_an_action_that_names_no_collection_means_the_one_shown():
    import_runs = Guidance(Action("import_runs", lead="Import some"))

    assert guidance_html(import_runs, collection="sample") == (
        '<a href="/collections/sample/runs/send/">Upload runs</a>'
    )
    assert guidance_html(import_runs) == "Upload runs"


def test_a_plain_text_response_names_the_page_without_a_link():
    refusal = Refusal("<b> & 'run' are not there.", Action("import_runs", lead="Import some"))

    assert guidance_text(refusal, collection="sample") == "<b> & 'run' are not there. Upload runs"


def test_an_answer_to_a_program_names_the_call():
    assert guidance_for_programs(Guidance(RAISE)) == "Change the budget (POST /api/v1/campaigns/first/budget)"
    assert guidance_for_programs(Guidance(Action("compare", "mine"))) == (
        "Use the collection's analyses (/collections/mine/analyses/)"
    )


def test_commands_without_a_page_are_marked_as_for_the_terminal():
    rebuild = Action("rebuild_qrels", "mine", "--version 3", lead="Say which")

    assert guidance_html(Guidance(rebuild, ".")) == (
        "Say which: <code>manage.py rebuild_qrels mine --version 3</code> (in the terminal)."
    )


def test_the_time_for_a_task_is_named_as_its_reader_sets_it():
    (refusal,) = CampaignSettings(assignment_seconds=5).problems().values()

    assert "(“Minutes per task”) must be" in guidance_text(refusal)
    assert "(“assignment_seconds”) must be" in guidance_for_programs(str(refusal))


def test_terminal_only_words_are_left_out_on_pages():
    words = Guidance("Name a run", TerminalOnly(" with --run TAG"), ".")

    assert words == "Name a run with --run TAG."
    assert guidance_html(words) == guidance_text(words) == guidance_for_programs(words) == "Name a run."


def test_text_around_an_action_is_escaped():
    said = guidance_html(Guidance("<b>No</b> 'run'. ", Action("close_campaign", "x"), "<script>"))

    assert "<b>" not in said
    assert "<script>" not in said


@pytest.mark.parametrize(
    "written",
    [
        "better --tag",
        "See: manage.py dance the-tango --fast",
        "the run tag is 'a --tag b', but earlier lines have 'manage.py close_campaign fair'",
        "\x1e[1]",
    ],
)
def test_texts_by_people_are_unchanged(written):
    assert (
        guidance_for_programs(written.lstrip("\x1e"))
        == guidance_text(stored(written))
        == unescape(guidance_html(stored(written)))
    )
    assert stored(written) == written.lstrip("\x1e")


@pytest.mark.parametrize("command", PAGES)
def test_every_command_exists_and_every_page_of_it_does(command):
    assert command in get_commands()
    assert "<a href=" in guidance_html(Guidance(Action(command, "one")))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "page"),
    [
        ("draft", "web:prepare"),
        ("rehearsed", "web:prepare_pilot"),
        ("piloted", "web:prepare_pilot"),
        ("paused", "web:campaign_step"),
        ("closed", "web:publish"),
    ],
)
def test_every_next_step_has_a_page(state, page):
    campaign = Campaign.objects.create(
        name="autumn", state=state, seed=1, collection=Collection.objects.create(name="harbour")
    )

    step = ["resume"] if page == "web:campaign_step" else []

    assert idle_campaign_direction(campaign).link == reverse(page, args=["autumn", *step])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "page"), [("rehearsed", "web:prepare_rehearsal"), ("open", "web:campaign")]
)
def test_a_rehearsal_leads_to_its_results_or_to_the_launched_campaign(state, page):
    harbour = Collection.objects.create(name="harbour")
    autumn = Campaign.objects.create(name="autumn", state=state, seed=1, collection=harbour)
    copy = Campaign.objects.create(
        name="copy", state="closed", seed=1, collection=harbour, rehearsal_of=autumn
    )

    assert idle_campaign_direction(copy).link == reverse(page, args=["autumn"])


@pytest.mark.django_db
def test_a_campaign_for_simulated_workers_needs_no_pilot():
    campaign = Campaign.objects.create(
        name="autumn",
        state="rehearsed",
        seed=1,
        placeholder_text=True,
        collection=Collection.objects.create(name="harbour"),
    )

    step = idle_campaign_direction(campaign)

    assert (step.words, step.link) == (
        "Go through the check list, then launch it for simulated workers.",
        reverse("web:prepare_check", args=["autumn"]),
    )


@pytest.mark.django_db
def test_a_drafts_next_step_is_what_it_lacks():
    campaign = Campaign.objects.create(
        name="autumn", seed=1, gold_per_task=1, collection=Collection.objects.create(name="harbour")
    )
    assert "Accept 20 more gold pairs," in idle_campaign_direction(campaign).words

    campaign.gold_per_task = 0
    assert "Accept the texts" in idle_campaign_direction(campaign).words

    campaign.texts_accepted_at = campaign.created_at
    assert "Rehearse or pilot it if you like" in idle_campaign_direction(campaign).words


@pytest.mark.django_db
@pytest.mark.parametrize("person", PEOPLE)
def test_a_link_is_offered_to_those_whom_its_page_accepts(cast, person):
    client = cast.clients[person]
    may_open = Reader(get_user(client)).may_open
    wrong = {}
    for command, (_, _, of, needed) in PAGES.items():
        name = {"campaign": cast.campaign.name, "collection": cast.collection.name, "": ""}[of]
        said = guidance_html(Guidance(Action(command, name)), may_open=may_open)
        offered = "<a href=" in said
        (address,) = re.findall(r'href="([^"]+)"', guidance_html(Guidance(Action(command, name))))
        page = client.get(address)
        own_list = person == "assessor" and address.endswith(
            "/grading/"
        )  # their topics, which no sentence means
        if not own_list and offered is (page.status_code in (403, 404)):
            wrong[command] = (said, page.status_code)
        elif not offered:
            assert said.endswith(f" (only {who_can(needed)} can)")

    assert wrong == {}


@pytest.mark.django_db
@pytest.mark.parametrize("person", PEOPLE)
def test_a_call_is_named_to_those_who_may_make_it(cast, person):
    may_call = Reader(get_user(cast.clients[person])).may_open
    wrong = {}
    for command, (call, needed) in CALLS.items():
        name = {"campaign": cast.campaign.name, "collection": cast.collection.name, "": ""}[PAGES[command][2]]
        said = guidance_for_programs(Guidance(Action(command, name)), may_call=may_call)
        method, address = call.format(name="{name}").split()
        only = TABLE[method.lower(), address].only if needed else None
        roles = f" (only {who_can(needed)} can)" if needed else ""
        if only is None or person in only:
            roles = f" ({call.format(name=name).replace(' /', ' /api/v1/')})"
        if not said.endswith(roles):
            wrong[command] = said

    assert wrong == {}


@pytest.mark.django_db
def test_a_page_without_a_call_is_named_to_those_who_may_open_it(cast):
    said = {
        person: guidance_for_programs(
            Guidance(Action("reconcile", cast.campaign.name)),
            may_call=Reader(get_user(cast.clients[person])).may_open,
        )
        for person in ("viewer", "stranger")
    }

    assert said["viewer"] == "Look at the differences (/campaigns/spring/differences/)"
    assert said["stranger"] == f"Look at the differences (only {who_can('see everything')} can)"
