"""What pages make of words that name a command: a link to the page that does the same."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.core.management import get_commands
from django.urls import reverse

from judging.models import Campaign
from web.services.directions import PAGES, directed, in_words, next_of, said_plainly


def test_a_command_becomes_a_link_to_its_page():
    said = directed("The budget is used up. Run: manage.py raise_budget first 12.50, or judge fewer queries.")

    assert said == (
        'The budget is used up. <a href="/campaigns/first/budget/">Change the budget</a>, or judge fewer queries.'
    )


def test_two_commands_become_two_links():
    said = directed("Run: manage.py propose_gold a and then manage.py accept_gold a, once more.")

    assert re.findall(r">([^<]+)</a>", said) == ["Propose test pairs", "accept test pairs"]
    assert said.endswith(", once more.")


def test_a_command_that_names_no_collection_means_the_one_shown():
    assert directed("Import some: manage.py import_runs", collection="sample") == (
        '<a href="/collections/sample/runs/send/">Send runs</a>'
    )
    assert directed("Import some: manage.py import_runs") == "Send runs"


def test_an_answer_that_is_no_page_names_the_page_without_a_link():
    said = said_plainly("<b> & 'run' are not there. Import some: manage.py import_runs", collection="sample")

    assert said == "<b> & 'run' are not there. Send runs"


def test_what_no_page_does_is_said_to_be_for_the_terminal():
    assert directed("Say which: manage.py rebuild_qrels mine --version 3.") == (
        "Say which: <code>manage.py rebuild_qrels mine --version 3</code> (in the terminal)."
    )


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Name a run with --run TAG and a qrel set with --official SET.", "Name a run and a qrel set."),
        ("Name runs with --runs or --all-runs.", "Name runs."),
    ],
)
def test_what_a_page_has_a_field_for_is_no_option(typed, read):
    assert directed(typed) == said_plainly(typed) == in_words(typed) == read


def test_what_stands_around_a_command_is_escaped():
    said = directed("<b>No</b> 'run'. Run: manage.py close_campaign x<script>")

    assert "<b>" not in said
    assert "<script>" not in said


@pytest.mark.parametrize(
    "written",
    [
        "better --really",
        "See: manage.py dance the-tango --fast",
        "the run tag is 'a --tag b', before it was 'manage.py close_campaign fair'",
        "it isn't --really the worker's",
    ],
)
def test_what_people_wrote_stays_as_it_is(written):
    assert in_words(written) == said_plainly(written) == unescape(directed(written)) == written


def test_an_option_beside_what_somebody_wrote_is_still_told():
    said = (
        "'x --tag y' cannot be a run tag: it's too long. Give one with --tag, or the runs' names with --set."
    )

    assert in_words(said).endswith("Give one with “run_tag”, or the runs' names with “set”.")


@pytest.mark.parametrize("command", PAGES)
def test_every_command_exists_and_every_page_of_it_does(command):
    assert command in get_commands()
    assert "<a href=" in directed(f"manage.py {command} one")


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
def test_what_comes_next_is_a_page(state, page):
    campaign = Campaign(name="autumn", state=state)

    step = ["resume"] if page == "web:campaign_step" else []

    assert next_of(campaign).link == reverse(page, args=["autumn", *step])
