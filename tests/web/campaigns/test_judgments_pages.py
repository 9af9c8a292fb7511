"""A campaign's judgments, downloaded from its page."""

import csv
import io
import json

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from pooling.models import Membership
from tests.web.campaign_cast import worker
from tournament.services.judgment_export import COLUMNS, SIGNALS, export_judgments

PAGE = "/campaigns/fair/judgments"


@pytest.fixture
def judged(fair, campaign):
    fair.do_task(campaign, "AGOOD")
    fair.do_task(campaign, "ABAD", pass_gold=False)
    fair.collect(campaign)
    return campaign


def downloaded(client, form: str, query: str = "") -> str:
    reply = client.get(f"{PAGE}.{form}{query}")
    assert reply.status_code == 200
    assert f".{form}" in reply["Content-Disposition"]
    return b"".join(reply).decode()


def rows_of(text: str):
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def without_names(rows):
    return [
        {key: row[key] for key in ("kind", "topic", "left", "right", "preferred", "counted")} for row in rows
    ]


def test_the_file_is_what_the_command_writes(judged, manager, tmp_path):
    export_judgments(judged, tmp_path / "written.tsv")
    written = rows_of((tmp_path / "written.tsv").read_text())

    text = downloaded(manager, "tsv")
    rows = rows_of(text)

    assert list(rows[0]) == COLUMNS
    order = lambda row: sorted(row.items())  # noqa: E731
    assert sorted(without_names(rows), key=order) == sorted(without_names(written), key=order)
    assert {row["kind"] for row in rows} == {"judgment", "gold"}
    assert all(name not in text for name in ("AGOOD", "ABAD"))


def test_every_download_has_new_pseudonyms(judged, manager):
    first, second = (
        {json.loads(line)["worker"] for line in downloaded(manager, "jsonl").splitlines()} for _ in range(2)
    )

    assert len(first) == len(second) == 2
    assert not first & second
    assert str(worker("AGOOD").pk) not in first | second


def test_signals_are_for_people_who_decide_about_workers(judged, manager):
    member = get_user_model().objects.create_user("victor")
    Membership.objects.create(collection=judged.collection, user=member, role="viewer")
    viewer = Client()
    viewer.force_login(member)

    head = downloaded(manager, "tsv", "?signals=1").splitlines()[0].split("\t")

    assert head == [*COLUMNS, *SIGNALS]
    assert viewer.get(f"{PAGE}.tsv?signals=1").status_code == 403
    assert "signals" not in viewer.get(f"{PAGE}/").content.decode()
    assert "signals=1" in manager.get(f"{PAGE}/").content.decode()


def test_the_page_counts_what_the_file_has_and_there_are_no_other_forms(judged, manager):
    page = manager.get(f"{PAGE}/").content.decode()

    assert "6 judgments" in page
    assert "4 answers on gold pairs, except those with a passage that only non-public runs" in page
    assert "Download TSV" in page
    assert manager.get(f"{PAGE}.xml").status_code == 404


def test_a_campaign_without_judgments_gives_the_names_of_the_columns(campaign, manager):
    assert downloaded(manager, "tsv").split("\n")[0].split("\t") == COLUMNS
    assert downloaded(manager, "jsonl") == ""
