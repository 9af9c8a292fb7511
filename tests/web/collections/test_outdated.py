"""An outdated version: the notes for members and for everybody else, and where they appear."""

import json

import pytest
from django.core.management import call_command

from config import clock
from judging.models import Exclusion
from pooling.models import PrivateQuery, QuerySplit
from tests.web.versions.test_api_versions import Script

pytestmark = pytest.mark.one_database

PAGES = ("/collections/harbour/leaderboard/", "/collections/harbour/versions/1/", "/campaigns/spring/")
PUBLICLY = "Some of the judgments behind version 1 no longer count."


@pytest.fixture
def outdated(cast):
    """The only worker behind version 1 was excluded."""
    cast.exclusion = Exclusion.objects.create(
        campaign=cast.campaign, worker=cast.judge, rule="gold", reason="failed a gold pair"
    )
    return cast


def page(cast, who: str, address: str) -> str:
    return cast.clients[who].get(address).content.decode()


@pytest.mark.parametrize("address", PAGES)
def test_members_are_told_what_changed_and_where_to_preview(outdated, address):
    said = page(outdated, "viewer", address)

    assert "Version 1 is out of date: 7 of its judgments no longer count" in said
    assert "3 queries drop out" in said
    assert 'href="/campaigns/spring/publish/"' in said


@pytest.mark.parametrize("address", PAGES)
def test_everybody_else_reads_one_sentence_without_numbers(outdated, address):
    said = page(outdated, "nobody", address)

    assert PUBLICLY in said
    assert "is out of date" not in said
    assert "/publish/" not in said


@pytest.mark.parametrize("address", PAGES)
def test_an_up_to_date_version_has_no_note_even_after_a_reversal(outdated, address):
    Exclusion.objects.filter(pk=outdated.exclusion.pk).update(reversed_at=clock.now())

    for who in ("nobody", "owner"):
        said = page(outdated, who, address)
        assert "no longer" not in said


def test_judgments_on_private_queries_are_not_hinted_at(outdated):
    split = QuerySplit.objects.create(collection=outdated.collection, sha256="0" * 64)
    for qid in ("q1", "q2", "q3"):
        PrivateQuery.objects.create(split=split, query=outdated.query(qid))

    assert PUBLICLY not in page(outdated, "nobody", PAGES[0])
    assert "is out of date" in page(outdated, "viewer", PAGES[1])


def test_it_needs_the_attention_of_people_who_can_publish(outdated):
    def needs(who):
        return [need.words for need in outdated.clients[who].get("/").context["needs"]]

    assert any("is out of date" in words for words in needs("owner"))
    assert not any("is out of date" in words for words in needs("viewer"))


def test_new_judgments_of_a_running_campaign_need_no_attention(cast):
    cast.prefer("q2", ("a2", "a"))  # one more judgment, none lost
    cast.campaign.imported_files.create(name="more", sha256="1")

    assert "1 new judgment counts" in page(cast, "owner", "/campaigns/spring/")
    assert "harbour" not in {need.about for need in cast.clients["owner"].get("/").context["needs"]}


def test_the_api_reports_an_outdated_version(outdated):
    script = Script()

    (version,) = script.get("/api/v1/collections/harbour/versions").json()
    status = script.get("/api/v1/campaigns/spring/status").json()["latest_version"]

    assert version["outdated"].startswith("Version 1 is out of date")
    assert (status["version"], status["up_to_date"], status["gone"], status["left"]) == (1, False, 7, 3)


def test_the_command_reports_an_outdated_version(outdated, capsys):
    call_command("campaign_status", "spring", "--json")

    assert json.loads(capsys.readouterr().out)["latest_version"]["gone"] == 7
