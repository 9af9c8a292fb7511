"""From a run to a campaign that compares it with the qrels, and back to the preferred side."""

import json

import pytest
from django.core.management import call_command

from judging.models import Campaign, Judgment
from leaderboard.analyses.better_than_perfect.analysis import analyse_better_than_perfect
from leaderboard.errors import NothingToScore
from pooling.models import Passage, Pool
from tournament.models import Challenge

# In valley, run new: q1 b1 before a1 (B), q2 b2 before a2 (B), q3 b3 alone on top (A, nothing second), q4 missing.


def ask(capsys, *arguments):
    call_command(
        "ask_better_than_perfect", "duel", "--collection", "valley", "--run", "new", "--json", *arguments
    )
    return json.loads(capsys.readouterr().out)


def asked_pairs():
    pairs = Campaign.objects.get(name="duel").pairs.select_related("query", "passage_a", "passage_b")
    return {pair.query.qid: {pair.passage_a.pid, pair.passage_b.pid} for pair in pairs}


def judge(qid, preferred, *, times=1):
    campaign = Campaign.objects.get(name="duel")
    pair = campaign.pairs.get(query__qid=qid)
    sides = [pair.passage_a, pair.passage_b]
    chosen = next((side for side in sides if side.pid == preferred), None)
    for _ in range(times):
        Judgment.objects.create(
            campaign=campaign,
            pair=pair,
            left=sides[0],
            right=sides[1],
            preferred=chosen,
            judge_kind="simulated",
        )


def test_a_run_becomes_a_campaign_in_one_step(valley, capsys):
    found = ask(capsys)

    assert asked_pairs() == {"q1": {"a1", "b1"}, "q2": {"a2", "b2"}}
    assert (found["category_a"], found["category_b"], found["missing"], found["nothing_second"]) == (
        0,
        2,
        1,
        1,
    )
    assert (found["pairs"], found["tasks"]) == (2, 1)
    assert Campaign.objects.get(name="duel").state == Campaign.State.DRAFT


def test_the_qrel_on_top_meets_the_second_passage(valley, capsys):
    call_command("ask_better_than_perfect", "duel", "--collection", "valley", "--run", "old", "--json")

    assert json.loads(capsys.readouterr().out)["category_a"] == 1
    assert asked_pairs() == {"q1": {"a1", "b1"}, "q3": {"b3", "x3"}}


def test_a_passage_with_the_qrels_text_is_not_compared(valley, capsys):
    """b1 turns out to be a1's text: the qrel is on top after all, and meets x1."""
    Passage.objects.filter(pid__in=["a1", "b1"]).update(class_key="same", text="the same")

    assert ask(capsys)["category_a"] == 1
    assert asked_pairs()["q1"] == {"a1", "x1"}


def test_a_sample_asks_less(valley, capsys):
    assert ask(capsys, "--sample", "1")["pairs"] == 1


def test_a_name_that_is_taken_leaves_nothing_behind(valley, capsys):
    with pytest.raises(SystemExit):
        call_command("ask_better_than_perfect", "spring", "--collection", "valley", "--run", "new")

    assert not Pool.objects.filter(name="spring").exists()


def test_the_preferred_side_is_counted(valley, capsys):
    ask(capsys)
    judge("q1", "b1")
    judge("q2", "a2", times=2)
    judge("q2", "b2")

    call_command("better_than_perfect", "duel", "--json")

    found = json.loads(capsys.readouterr().out)
    _, b, both = found["tables"]["preferred"]["rows"]
    assert (b["queries"], b["judged"], b["qrel"], b["run"], b["neither"]) == (2, 2, 1, 1, 0)
    assert both["run_share"]["value"] == 0.5
    assert found["facts"]["simulated"]
    assert "95% Wilson" in found["tables"]["preferred"]["caption"]


def test_undecided_prefers_neither(valley, capsys):
    ask(capsys)
    judge("q1", None)

    call_command("better_than_perfect", "duel", "--interval", "exact", "--json")

    found = json.loads(capsys.readouterr().out)
    assert found["tables"]["preferred"]["rows"][1]["neither"] == 1
    assert "Clopper" in found["tables"]["preferred"]["caption"]


def test_another_campaigns_judgments_of_the_same_pairs_are_used(valley):
    """The valley's own campaign compared b1 with a1 (b1 won) and b2 with a2 (a2 won)."""
    new = valley.runs[1]

    found = analyse_better_than_perfect(campaign=valley.campaign, run=new, qrel_set=valley.official)

    values = found.tables[0].rows[1].values
    assert (values["judged"], values["qrel"], values["run"]) == (2, 1, 1)


def test_a_challenge_in_progress_does_not_count_yet(valley):
    Challenge.objects.create(campaign=valley.campaign, number=1, run_tags=["new"])
    valley.ladder("q4", "b4", "a4", round=1)
    valley.ladder("q3", "x3", "b3", round=1)

    found = analyse_better_than_perfect(
        campaign=valley.campaign, run=valley.runs[0], qrel_set=valley.official
    )

    assert [row.values["judged"] for row in found.tables[0].rows] == [1, 0, 1]


def test_a_campaign_without_a_run_of_its_own_needs_one_named(valley):
    with pytest.raises(NothingToScore, match="one run"):
        analyse_better_than_perfect(campaign=valley.campaign)


def test_nothing_judged_yet_is_refused(valley, capsys):
    ask(capsys)

    with pytest.raises(SystemExit) as ended:
        call_command("better_than_perfect", "duel")

    assert ended.value.code == 1
    assert "No judgment of duel" in capsys.readouterr().err
