"""Garbage in the addresses and forms of the judging page."""

import pytest
from django.test import Client

from judging.models import Choice, Submission
from tests.judging.visitor import text

pytestmark = pytest.mark.usefixtures("crowd_site")


def test_form_goes_to_no_host_but_the_crowds(martha):
    response = martha.arrive(turkSubmitTo="https://evil.example")

    assert response.status_code == 404
    assert "a site other than the task site" in text(response)
    assert Submission.objects.count() == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"workerId": ""},
        {"workerId": "'; drop table"},
        {"assignmentId": "<b>"},
        {"hitId": "\x00"},
        {"turkSubmitTo": "javascript:alert(1)"},
        {"turkSubmitTo": "https://[broken"},
        {"assignmentId": "A" * 5000},
    ],
)
def test_garbage_in_the_address_is_refused_with_a_reason(martha, changed):
    response = martha.arrive(**changed)

    page = text(response)
    assert response.status_code == 404
    assert 'data-reason="unknown-link"' in page
    assert page.count("Go back to the task site") == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"slot": ""},
        {"slot": "0"},
        {"slot": "-1"},
        {"slot": "²"},
        {"slot": "9" * 30},
        {"sequence": "x"},
        {"sequence": "200"},
        {"side": "both"},
        {"side": "undecided"},
        {"side": "\x00"},
    ],
)
def test_garbage_in_a_choice_is_refused_and_records_nothing(martha, fields):
    martha.begin()

    response = martha.save(**fields)

    assert (response.status_code, response.json()["reason"]) == (409, "garbled")
    assert Choice.objects.count() == 0


@pytest.mark.parametrize("seconds", ["", "-1", "1e9", "nan", "²", "...", "9" * 400])
def test_odd_durations_do_not_lose_the_choice(martha, seconds):
    martha.begin()

    assert martha.save(seconds=seconds).json() == {"saved": True}


@pytest.mark.parametrize("token", ["x", "~", "x" * 1000, "W10~abc", "%00"])
def test_forged_tokens_lead_nowhere(db, token):
    for address in (f"/judge/{token}/", f"/judge/task/{token}/"):
        response = Client().get(address)
        assert response.status_code == 404
        assert 'data-reason="unknown-link"' in text(response)
    saved = Client().post(f"/judge/task/{token}/save", {"slot": "1", "side": "left"})
    assert saved.json()["reason"] == "unknown-link"


def test_comment_is_cut_to_what_the_form_allows(martha):
    martha.begin()

    martha.finish(comment="é" * 6000)

    assert len(martha.submission.comment) == 5000


def test_null_characters_in_a_comment_do_no_harm(martha):
    martha.begin()

    sent = martha.finish(comment="good\x00 texts")

    assert "One last step" in text(sent)
    assert martha.submission.comment == "good texts"
