"""The DOI of a version: where it is entered, and where citations show it."""

import json

import pytest
from django.test import Client

from pooling.models import Membership
from tests.web.api_caller import api
from tournament.services.version_dois import doi_of

__all__ = ["api"]
pytestmark = pytest.mark.one_database

VERSION = "/collections/harbour/versions/1/"
BOARD = "/collections/harbour/leaderboard/"
DOI = "10.5281/zenodo.1234567"


@pytest.fixture
def maintainer(member, published) -> Client:
    Membership.objects.update(role="maintainer")
    return member


def text_of(reply) -> str:
    assert reply.status_code == 200
    return " ".join(reply.content.decode().split())


def test_a_doi_is_only_in_the_citation_of_its_version(maintainer, published):
    assert "doi" not in text_of(Client().get(BOARD)).lower()

    said = text_of(maintainer.post(f"{VERSION}doi", {"doi": f"https://doi.org/{DOI}"}, follow=True))

    assert f"Citations of version 1 now have the DOI {DOI}." in said
    board = text_of(Client().get(BOARD))
    assert f"doi = {{{DOI}}}," in board
    assert f'<a href="https://doi.org/{DOI}">' in board
    assert f'<a href="https://doi.org/{DOI}">{DOI}</a>' in text_of(Client().get(VERSION))
    assert DOI not in text_of(Client().get(BOARD, {"version": "none"}))


def test_a_citation_without_a_doi_has_no_empty_line(published):
    lines = Client().get(BOARD).context["board"].bibtex.splitlines()

    assert [line.split("=")[0].strip() for line in lines[1:-1]] == ["title", "year", "howpublished", "note"]


def test_an_invalid_doi_is_refused_with_an_example(maintainer, published):
    said = text_of(maintainer.post(f"{VERSION}doi", {"doi": "<b>10.5281</b>"}, follow=True))

    assert "is not a DOI. Enter a DOI such as 10.5281/zenodo.1234567." in said
    assert "<b>10.5281" not in said
    assert doi_of(published.version) == ""


def test_visitors_and_viewers_have_no_form(member, published):
    assert "Add a DOI" not in text_of(Client().get(VERSION))
    assert "Add a DOI" not in text_of(member.get(VERSION))


def test_a_script_records_and_removes_it(api):
    def put(doi: str):
        return api.client.put(
            "/api/v1/collections/harbour/versions/1/doi",
            json.dumps({"doi": doi}),
            content_type="application/json",
            headers=api.headers,
        )

    assert put(DOI).json()["doi"] == DOI
    assert api.get("/collections/harbour/versions").json()[0]["doi"] == DOI
    assert put("zenodo").status_code == 422
    assert put("").json()["doi"] is None
