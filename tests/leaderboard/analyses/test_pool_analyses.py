"""Win ratios and pool bias on the valley's board: loading, counts and refusals, by hand."""

import pytest

from judging.models import Judgment
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.pool_bias import analysis as services_pool_bias
from leaderboard.analyses.pool_bias.analysis import brought_by
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import analysis_key
from leaderboard.analyses.shared.loaded_contenders import load_contenders
from leaderboard.board.standings import PERFECT
from leaderboard.errors import NothingToScore
from leaderboard.output.numbers import number_text
from pooling.models import PooledPassage, PoolRun
from tests.leaderboard.analyses.analysed import analysed, rows
from tournament.models import Challenge


def pool_runs(valley, *tags):
    """Record the pool's runs. Tops: old a1 a2, new b1 b2 b3; the qrels are a1, a2 and b3."""
    by_tag = {run.run_tag: run for run in valley.runs}
    PoolRun.objects.bulk_create(PoolRun(pool=valley.pool, run=by_tag[tag]) for tag in tags)
    brought = {"a1": ["old"], "a2": ["old"], "b1": ["new"], "b2": ["new"], "b3": ["new"]}
    for row in PooledPassage.objects.filter(pool=valley.pool).select_related("passage"):
        row.run_ids = [by_tag[tag].pk for tag in brought.get(row.passage.pid, []) if tag in tags]
        row.is_qrel = row.passage.pid in ("a1", "a2", "b3")
        row.save()


def test_contenders_are_the_compared_passages_with_their_ranks(valley):
    known = load_contenders(campaign=valley.campaign, runs=valley.runs, qrel_set=valley.official)

    ranks = {
        run: {
            known.qids[q]: r for q, r in zip(known.contenders.query.tolist(), row.tolist(), strict=True) if r
        }
        for run, row in zip(known.contenders.run_tags, known.contenders.rank, strict=True)
    }
    assert ranks["odd"] == {"q2": 1}
    assert known.contenders.rank[0].tolist().count(1) == 2
    assert {known.qids[query] for query in known.qrels} == {"q1", "q2", "q3"}
    assert known.with_perfect_run().tops[-1].tolist() == sorted(known.qrels.values())


def test_a_campaign_without_judgments_is_refused(valley):
    Judgment.objects.all().delete()

    with pytest.raises(NothingToScore, match="No judgment"):
        load_contenders(campaign=valley.campaign, runs=valley.runs)


def test_win_ratios_of_the_pools_runs(valley):
    """old and new differ on q1 (b1 wins: new), q2 (a2 wins: old) and q3, where nobody was asked."""
    pool_runs(valley, "old", "new")

    found = analysed("win_ratios", valley.collection, valley.runs, valley.campaign, official="official")

    *table, wins, stranger = rows(found, "ratios")
    assert [row["row"] for row in table] == [PERFECT, "old", "new"]
    assert table[1]["new"] == 0.5
    assert (table[0]["old"], table[0]["new"]) == (None, 0.5)
    assert [wins[name] for name in (PERFECT, "old", "new")] == ["0", "0", "0"]
    assert stranger == {"row": "odd", **dict.fromkeys((PERFECT, "old", "new"), "n. c.")}


def test_runs_outside_the_pool_alone_have_no_win_ratios(valley):
    with pytest.raises(NothingToScore, match="in the pool"):
        analysed("win_ratios", valley.collection, valley.runs, valley.campaign, official="official")


def test_pool_bias_drops_what_only_the_run_brought(valley):
    """Without new, b1, b2 and the singleton b3 stay or go: b3 is a qrel. q1 falls to a1, so new has 1/4 there."""
    pool_runs(valley, "old", "new")

    found = analysed("pool_bias", valley.collection, valley.runs, valley.campaign)

    new = next(row for row in rows(found, "left_out") if row["run"] == "new")
    assert (new["dropped"], new["changed"], new["lost"]) == (2, 1, 0)
    # Best answers b1 a2 b3: new has 1, 1/2 and 1; a1 a2 b3: 1/4, 1/2 and 1.
    assert (new["before"], new["after"]) == (pytest.approx(2.5 / 3), pytest.approx(1.75 / 3))
    assert (new["rank_before"], new["rank_after"], new["shift"]) == (1, 2, -1)
    (kind,) = [column.kind for column in found.tables[0].columns if column.key == "shift"]
    assert number_text(new["shift"], kind) == "−1"


def test_every_provenance_line_writes_alpha_as_one_letter(valley):
    pool_runs(valley, "old", "new")

    for name in ("win_ratios", "judge_agreement", "compare", "power", "split_halves"):
        facts = analysed(name, valley.collection, valley.runs, valley.campaign).facts
        assert "α 0.05" in facts.sentence, name


def test_pool_bias_is_not_derived_again_until_something_changes(valley, monkeypatch):
    pool_runs(valley, "old", "new")
    first = rows(analysed("pool_bias", valley.collection, valley.runs, valley.campaign), "left_out")
    monkeypatch.setattr(services_pool_bias, "left_out_rows", lambda *_, **__: pytest.fail("derived"))

    assert rows(analysed("pool_bias", valley.collection, valley.runs, valley.campaign), "left_out") == first
    for options in ({"runs": valley.runs[:2]}, {"runs": valley.runs, "by": "team"}):
        with pytest.raises(pytest.fail.Exception, match="derived"):
            analysed("pool_bias", valley.collection, campaign=valley.campaign, **options)
    valley.ladder("q4", "a4", "b4")
    with pytest.raises(pytest.fail.Exception, match="derived"):
        analysed("pool_bias", valley.collection, valley.runs, valley.campaign)


def test_a_team_is_left_out_as_a_whole(valley):
    pool_runs(valley, "old", "new")
    for run in valley.runs[:2]:
        run.team = "us"
        run.save()

    found = analysed("pool_bias", valley.collection, valley.runs, valley.campaign, by="team")

    groups = {row["run"]: row["group"] for row in rows(found, "left_out")}
    assert groups == {"old": "team us", "new": "team us", "odd": "odd"}


def test_top_passages_of_challengers_count_as_theirs(valley):
    pool_runs(valley, "old")
    Challenge.objects.create(campaign=valley.campaign, number=1, run_tags=["new"], state=Challenge.State.DONE)
    known = load_contenders(campaign=valley.campaign, runs=valley.runs)

    brought = brought_by(known, valley.runs)

    named = {known.contenders.passage[known.contenders.node(*node)]: names for node, names in brought.items()}
    assert named[valley.passage("b1").pk] == {"new"}
    assert named[valley.passage("a2").pk] == {"old", ""}


def test_a_challenge_that_is_being_asked_changes_no_analysis_and_no_key(valley):
    pool_runs(valley, "old")
    before = left_out_and_key(valley)

    challenge = Challenge.objects.create(campaign=valley.campaign, number=1, run_tags=["new"])
    valley.ladder("q2", "c2", "a2", round=1)

    assert left_out_and_key(valley) == before
    challenge.state = Challenge.State.DONE
    challenge.save()
    table, key = left_out_and_key(valley)
    assert table != before[0]
    assert key != before[1]


def left_out_and_key(valley):
    asked = Asked(KINDS["pool_bias"], valley.collection, tuple(valley.runs), {"by": "run"}, valley.campaign)
    return rows(
        analysed("pool_bias", valley.collection, valley.runs, valley.campaign), "left_out"
    ), analysis_key(asked)
