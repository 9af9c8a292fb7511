from __future__ import annotations

import pytest

from judging.crowds.arrival import read_arrival, submit_url
from judging.errors import ArrivalRefused

WHOLE = {
    "assignmentId": "3ASSIGNMENT0000000000000001",
    "hitId": "3HIT000000000000000000000001",
    "workerId": "A1WORKER00000",
    "turkSubmitTo": "https://crowd.example",
}


@pytest.fixture(autouse=True)
def _hosts(settings):
    settings.CROWD_HOSTS = ["https://crowd.example", "https://www.crowd.example/"]


def test_whole_address_names_assignment_place_and_worker():
    arrival = read_arrival(WHOLE)

    assert (arrival.assignment_id, arrival.place_crowd_id) == (WHOLE["assignmentId"], WHOLE["hitId"])
    assert (arrival.crowd_worker_id, arrival.preview) == (WHOLE["workerId"], False)


@pytest.mark.parametrize("word", ["", "ASSIGNMENT_ID_NOT_AVAILABLE"])
def test_arrival_without_an_assignment_is_a_preview(word):
    assert read_arrival({"assignmentId": word, "hitId": WHOLE["hitId"]}).preview
    assert read_arrival({}).preview


@pytest.mark.parametrize("written", [" A1WORKER00000 ", "A1WORKER00000,A1WORKER00000"])
def test_worker_ids_with_blanks_or_doubled_are_mended(written):
    assert read_arrival(WHOLE | {"workerId": written}).crowd_worker_id == "A1WORKER00000"


@pytest.mark.parametrize(
    "broken",
    [
        {"workerId": ""},
        {"workerId": "B1WORKER"},
        {"workerId": "A" + "1" * 64},
        {"hitId": ""},
        {"hitId": "a b"},
        {"assignmentId": "<script>"},
        {"turkSubmitTo": "https://evil.example"},
        {"turkSubmitTo": "https://crowd.example.evil.example"},
        {"turkSubmitTo": "http://crowd.example"},
        {"turkSubmitTo": "javascript:alert(1)"},
        {"turkSubmitTo": "https://crowd.example@evil.example"},
    ],
)
def test_address_that_is_forged_or_not_whole_is_refused(broken):
    with pytest.raises(ArrivalRefused):
        read_arrival(WHOLE | broken)


def test_address_without_a_submit_host_goes_to_the_first_known_one():
    assert read_arrival(WHOLE | {"turkSubmitTo": ""}).submit_to == "https://crowd.example"


@pytest.mark.parametrize("slash", ["", "/"])
def test_final_form_goes_to_the_crowd_with_or_without_a_slash(slash):
    assert submit_url(f"https://crowd.example{slash}") == "https://crowd.example/mturk/externalSubmit"
