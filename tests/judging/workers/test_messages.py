"""Messages to workers are stored with the campaign and sent once."""

import pytest

from judging.errors import CampaignRefused, CrowdConfiguration, CrowdLater, CrowdNever, CrowdThrottled
from judging.models import CrowdIdentity, WorkerMessage
from judging.workers import messages
from judging.workers.messages import PERHAPS, addressees, send_message


@pytest.fixture
def judged(fair, campaign):
    """Two workers have submitted work, and one of them is excluded. A third only opened a task."""
    fair.do_task(campaign, "AFAIL", pass_gold=False)
    fair.do_task(campaign, "ADONE")
    fair.open_task(campaign, "AOPEN")
    fair.collect(campaign)
    return campaign


def worker(name):
    return CrowdIdentity.objects.get(crowd_worker_id=name).worker


def names(workers):
    return {one.identity.crowd_worker_id for one in workers}


def test_everybody_whose_work_came_in_can_be_written_to(judged):
    assert names(addressees(judged)) == {"AFAIL", "ADONE"}
    assert names(addressees(judged, excluded=True)) == {"AFAIL"}
    assert names(addressees(judged, workers=[worker("ADONE").pk])) == {"ADONE"}
    with pytest.raises(CampaignRefused, match="has submitted nothing"):
        addressees(judged, workers=[worker("AOPEN").pk])


def test_a_message_is_sent_and_kept(fair, judged):
    rows = send_message(judged, addressees(judged), subject="Thank you", text="All is paid.", who="ada")

    assert {(row.subject, row.who, row.failure) for row in rows if row.sent_at} == {("Thank you", "ada", "")}
    assert sorted(fair.crowd.messages) == [(name, "Thank you", "All is paid.") for name in ("ADONE", "AFAIL")]


def test_a_message_reports_unreached_workers(fair, judged):
    stranger = CrowdIdentity.objects.get(crowd_worker_id="AOPEN").worker

    (row,) = send_message(judged, [stranger], subject="s", text="t")

    assert (row.sent_at, row.failure) == (None, "not known")


def test_a_message_whose_reply_was_lost_is_not_sent_twice(fair, judged):
    fair.crowd.fail("message", CrowdLater("no reply"), after=True)

    with pytest.raises(CrowdLater):
        send_message(judged, addressees(judged), subject="s", text="t")

    assert len(fair.crowd.messages) == 2
    assert {row.failure for row in WorkerMessage.objects.all()} == {"no reply It may have been sent anyway."}
    assert not judged.crowd_calls.exclude(state="done").exists()


@pytest.fixture
def one_at_a_time(monkeypatch):
    """A crowd that accepts one recipient per call."""
    monkeypatch.setattr("judging.workers.messages.MESSAGE_AT_ONCE", 1)


def reached(fair):
    return sorted(name for name, *_ in fair.crowd.messages)


def test_one_lost_reply_leaves_no_other_message_in_doubt(fair, judged, one_at_a_time):
    fair.crowd.fail("message", CrowdLater("no reply"), after=True)

    with pytest.raises(CrowdLater):
        send_message(judged, addressees(judged), subject="s", text="t")

    assert reached(fair) == ["ADONE", "AFAIL"]
    assert sorted(row.failure for row in WorkerMessage.objects.all()) == ["", f"no reply {PERHAPS}"]
    send_message(judged, addressees(judged), subject="s", text="t")
    assert reached(fair) == ["ADONE", "AFAIL"]  # neither gets a second message
    assert WorkerMessage.objects.count() == 2


@pytest.mark.parametrize(
    "error", [CrowdThrottled("too fast"), CrowdConfiguration("no key"), CrowdNever("who")]
)
def test_certainly_refused_messages_are_sent_on_repetition(fair, judged, one_at_a_time, error):
    fair.crowd.fail("message", error)
    with pytest.raises(type(error)):
        send_message(judged, addressees(judged), subject="s", text="t")
    assert not any(PERHAPS in row.failure for row in WorkerMessage.objects.all())

    rows = send_message(judged, addressees(judged), subject="s", text="t")

    assert reached(fair) == ["ADONE", "AFAIL"]
    assert all(row.sent_at and not row.failure for row in WorkerMessage.objects.all())
    assert len(rows) == 2


def test_a_call_during_which_the_program_died_is_not_made_again(fair, judged, one_at_a_time):
    fair.crowd.fail("message", KeyboardInterrupt(), after=True)
    with pytest.raises(KeyboardInterrupt):
        send_message(judged, addressees(judged), subject="s", text="t")

    rows = send_message(judged, addressees(judged), subject="s", text="t")

    assert reached(fair) == ["ADONE", "AFAIL"]
    assert sum(PERHAPS in row.failure for row in rows) == 1
    assert sum(row.sent_at is not None for row in rows) == 1


def test_messages_that_arrived_before_the_program_died_are_not_sent_again(fair, judged, monkeypatch):
    people = [*addressees(judged), CrowdIdentity.objects.get(crowd_worker_id="AOPEN").worker]
    with monkeypatch.context() as patch:
        patch.setattr(messages, "_record_delivery", killed)
        with pytest.raises(KeyboardInterrupt):
            send_message(judged, people, subject="s", text="t")

    rows = send_message(judged, people, subject="s", text="t")

    assert reached(fair) == ["ADONE", "AFAIL"]
    assert sorted((row.sent_at is not None, row.failure) for row in rows) == [
        (False, "not known"),
        (True, ""),
        (True, ""),
    ]


def killed(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(("subject", "text"), [("", "t"), ("s", " "), ("s" * 201, "t"), ("s", "t" * 4097)])
def test_a_message_that_is_empty_or_too_long_is_refused(judged, subject, text):
    with pytest.raises(CampaignRefused, match="at most"):
        send_message(judged, addressees(judged), subject=subject, text=text)
    assert not WorkerMessage.objects.exists()
