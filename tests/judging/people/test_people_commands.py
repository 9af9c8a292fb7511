"""Commands about workers: messages, gold pairs, differences, rights."""

import io
import json
from contextlib import nullcontext

import pytest
from django.core.management import call_command

from config.process import launcher
from judging.models import CrowdIdentity, Judgment


@pytest.fixture(autouse=True)
def at_hand(monkeypatch, crowd):
    """Use the migrated test database, and the panel instead of the marketplace."""
    monkeypatch.setattr(launcher, "ensure_database", lambda: None)
    monkeypatch.setattr(launcher, "crowd_running", nullcontext)


@pytest.fixture
def judged(fair, campaign):
    """AMARTHA's task counts and is paid."""
    fair.do_task(campaign, "AMARTHA")
    fair.collect(campaign)
    return campaign


def run(*words: object) -> dict:
    out = io.StringIO()
    call_command(*map(str, words), "--json", stdout=out, stderr=io.StringIO())
    return json.loads(out.getvalue())


def refused(*words: object) -> tuple[int, str]:
    err = io.StringIO()
    with pytest.raises(SystemExit) as exit_:
        call_command(*map(str, words), stdout=io.StringIO(), stderr=err)
    return exit_.value.code, err.getvalue()


def counted():
    return Judgment.objects.counted().count()


def test_message_workers_writes_to_the_named_workers(fair, judged, tmp_path):
    text = tmp_path / "thanks.txt"
    text.write_text("All is paid.")

    sent = run("message_workers", "fair", "--subject", "Thank you", "--text", text)

    assert (sent["sent"], sent["not_reached"]) == (1, {})
    assert fair.crowd.messages == [("AMARTHA", "Thank you", "All is paid.")]
    assert refused("message_workers", "fair", "--subject", "s", "--text", tmp_path / "none")[0] == 2
    assert refused("message_workers", "fair", "--subject", "s", "--text", text, "--excluded")[0] == 1


def test_suspend_gold_takes_a_pair_out_of_use(judged):
    gold = judged.gold_pairs.order_by("pk").first()

    done = run("suspend_gold", "fair", gold.pk, "--why", "ambiguous")

    assert (done["gold_pair"], done["reinstated"]) == (gold.pk, 0)
    assert refused("suspend_gold", "fair", gold.pk, "--why", "again")[0] == 1
    assert "no gold pair 999999" in refused("suspend_gold", "fair", 999999, "--why", "x")[1]


def test_reconcile_lists_and_settles_differences(fair, judged):
    place = fair.crowd.take("AHENRY")
    fair.crowd.hand_in(place, {"choice-1": "left"})

    found = run("reconcile", "fair")
    (row,) = found["open"]
    assert (found["only_there"], row["kind"]) == (1, "only_there")
    assert refused("reconcile", "fair", "--settle", row["submission"])[0] == 2
    settled = run("reconcile", "fair", "--settle", row["submission"], "--why", "the page was down")
    assert settled["open"] == []
    assert refused("reconcile", "fair", "--settle", row["submission"], "--why", "x")[0] == 1


def test_withdraw_then_forget(judged):
    worker = CrowdIdentity.objects.get().worker_id

    out = run("withdraw_worker", "fair", "AMARTHA", "--why", "by mail")
    gone = run("forget_worker", worker)

    assert (out["judgments_taken_out"], counted()) == (3, 0)
    assert (gone["worker"], gone["identities"], gone["submissions"]) == (worker, 1, 1)
    assert not CrowdIdentity.objects.exists()
    assert refused("forget_worker", "AMARTHA")[0] == 1
    assert refused("withdraw_worker", "fair", worker)[0] == 1
