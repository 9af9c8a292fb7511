"""Attacks on arrivals at the judging page, against real processes, each beside an honest worker."""

from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from tests.journeys.installation import Installation, Person, fetched, installed

# It uses separate SQLite files in every stage.
pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.one_database,
    pytest.mark.xdist_group("attacks"),
]
WRITTEN = ("worker", "crowdidentity", "submission", "slot")


@pytest.fixture(scope="module")
def at(tmp_path_factory) -> Iterator[Installation]:
    """Product and marketplace, with a campaign for each attack."""
    with installed(
        tmp_path_factory.mktemp("attacked") / "data", "stopped", "locked-out", "handed-on"
    ) as made:
        yield made


def forged(address: str, **params: str) -> tuple[int, str]:
    """Open the frame's address with changed parameters, as anybody can."""
    parts = urlsplit(address)
    return fetched("GET", f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(params)}")


def test_forged_workers_at_the_next_hit_get_and_write_nothing_and_block_nobody(at):
    mallory, honest = Person(at, "mallory"), Person(at, "honest")
    shown = mallory.previewed("stopped")
    stolen = dict(parse_qsl(urlsplit(mallory.take("locked-out").frame_address).query))
    before = at.rows(*WRITTEN)

    tried = []
    for number in range(40):
        made_up = {
            "assignmentId": f"3MADEUP{number}",
            "hitId": shown["hitId"],
            "workerId": f"AMADEUP{number}",
        }
        signed = {"arrivalSignature": stolen["arrivalSignature"]} if number % 2 else {}
        tried.append(forged(shown["address"], **made_up, **signed))

    assert {status for status, _ in tried} == {404}
    assert all("missing or was changed" in page for _, page in tried)
    assert at.rows(*WRITTEN) == before
    taken = honest.take("stopped")
    page = honest.open(taken)
    # Now somebody holds it: knowing the assignment and the HIT is not enough to end the task either.
    mine = dict(parse_qsl(urlsplit(taken.frame_address).query))
    for worker in ("AMADEUP1", mallory.worker_id):
        assert forged(taken.frame_address, **mine | {"workerId": worker})[0] == 404
    honest.finish(page)


def test_knowing_a_worker_id_does_not_lock_the_worker_out(at):
    mallory, honest = Person(at, "mallory-2"), Person(at, "honest-2")
    shown = mallory.previewed("locked-out")
    before = at.rows(*WRITTEN)

    for number in range(8):
        ids = {"assignmentId": f"3MADEUP{number}", "hitId": shown["hitId"], "workerId": honest.worker_id}
        assert forged(shown["address"], **ids)[0] == 404
    assert at.rows(*WRITTEN) == before
    # Opening one's own task draws no pairs either, before consent.
    taken = honest.take("locked-out")
    fetched("GET", taken.frame_address)
    assert at.rows("slot") == before[-1:]

    honest.finish(honest.open(taken))


def test_former_holder_answers_for_nobody_else(at):
    former, present = Person(at, "former"), Person(at, "present")
    given_back = former.take("handed-on")
    left_open = former.open(given_back)
    former.judge(left_open, only=2)
    former.browser.give_back(given_back)
    taken = present.take("handed-on")
    page = present.open(taken)
    old = dict(parse_qsl(urlsplit(given_back.frame_address).query))
    new = dict(parse_qsl(urlsplit(taken.frame_address).query))
    assert old["hitId"] == new["hitId"]
    assert old["assignmentId"] != new["assignmentId"]

    form = urlencode({"assignmentId": old["assignmentId"], "choice-1": "left", "choice-2": "left"})
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    submit = f"{at.marketplace}/mturk/externalSubmit"
    status, answer = fetched("POST", submit, body=form, headers=headers)

    assert (status, 'data-refusal="not_held"' in answer) == (409, True)
    assert (
        "returned" in fetched("GET", given_back.frame_address)[1]
    )  # a saved address does not get the task back
    present.finish(page)
    assert at.earned(former.worker_id) == 0
