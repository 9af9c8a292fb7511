from datetime import UTC, datetime

import pytest

from judging.crowds.arrival import SIGNATURE, read_arrival, signed_at, submit_url
from judging.crowds.mturk import MTurk
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
def test_worker_ids_with_spaces_or_repeats_are_normalized(written):
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


#: tests/marketplace/protocol/test_arrival_signature.py makes the same value.
SIGNED = "1772366400000.3a2b7c7c4e94affd00e1e95b5dfcdc98b4c3c898353c3dc0c8f92d6a01add8d2"
AMAZON = "https://mturk-requester.us-east-1.amazonaws.com"


@pytest.fixture
def marketplace(settings) -> MTurk:
    settings.CROWD_ACCESS_KEY, settings.CROWD_SECRET_KEY = "lab", "very secret"
    return MTurk("http://127.0.0.1:8411")


@pytest.mark.parametrize("signature", [SIGNED, SIGNED.replace(".", f".{'0' * 64}.")])
def test_signed_arrival_says_when_the_task_was_taken(marketplace, signature):
    arrival = marketplace.read_arrival(WHOLE | {SIGNATURE: signature})

    assert arrival.taken_at == datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {SIGNATURE: SIGNED[:-1]},
        {SIGNATURE: SIGNED.replace("1772", "1773")},
        {SIGNATURE: SIGNED, "workerId": "A2WORKER00000"},
        {SIGNATURE: SIGNED, "assignmentId": "3ANOTHER"},
        {SIGNATURE: SIGNED, "hitId": "3ANOTHER"},
        {SIGNATURE: "9" * 15 + "." + "0" * 64},
        {SIGNATURE: "1772366400000"},
    ],
)
def test_where_the_crowd_signs_an_arrival_without_its_signature_is_refused(marketplace, changed):
    with pytest.raises(ArrivalRefused, match="missing or was changed"):
        marketplace.read_arrival(WHOLE | changed)


def test_signature_with_another_requesters_key_is_refused():
    with pytest.raises(ArrivalRefused):
        signed_at({SIGNATURE: SIGNED}, read_arrival(WHOLE), "another secret")


def test_preview_needs_no_signature_and_amazon_gives_none(marketplace):
    assert marketplace.read_arrival({}).preview
    assert MTurk(AMAZON).read_arrival(WHOLE).taken_at is None
