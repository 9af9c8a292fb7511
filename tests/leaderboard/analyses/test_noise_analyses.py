"""Label noise, replicates and agreement of judges on the valley's board, by hand."""

import pytest
from django.core.management import call_command

from judging.models import Judgment, Pair
from judging.workers.identities import worker_for
from leaderboard.analyses.label_noise import analysis as services_label_noise
from leaderboard.board.standings import PERFECT
from pooling.models import PoolRun
from tests.leaderboard.analyses.analysed import run_json


def second_opinion(valley, phase="II"):
    """Judge everything once more with the opposite result, by one worker, on the other side."""
    worker = worker_for("crowd", "W1")
    for pair in Pair.objects.filter(campaign=valley.campaign):
        first = pair.judgments.get()
        loser = first.left if first.preferred_id == first.right_id else first.right
        Judgment.objects.create(
            campaign=valley.campaign,
            pair=pair,
            left=loser,
            right=first.preferred,
            preferred=loser,
            judge_kind="human",
            phase=phase,
            worker=worker,
        )


def test_replicates_by_phase(valley, capsys):
    """Reversed, q1's best answer is c1 instead of b1 and q2's b2 instead of a2."""
    second_opinion(valley)

    found = run_json(capsys, "replicate_boards", "spring", "--phases", "", "II")

    row = found["tables"]["overlaps"]["rows"][0]
    assert (row["queries"], row["same"], row["touching"]) == (2, 0, 0)
    boards = {row["run"]: row for row in found["tables"]["boards"]["rows"]}
    assert (boards["new"]["set_"], boards["new"]["set_II"]) == (0.75, 0.5)


@pytest.mark.parametrize("arguments", [[], ["--phases", "", "III"]])
def test_replicates_need_two_phases(valley, capsys, arguments):
    with pytest.raises(SystemExit) as ended:
        call_command("replicate_boards", "spring", *arguments)

    assert ended.value.code == 1
    assert "phase" in capsys.readouterr().err


def test_a_phase_is_no_replicate_of_itself(valley, capsys):
    second_opinion(valley)
    with pytest.raises(SystemExit) as ended:
        call_command("replicate_boards", "spring", "--phases", "II", "II")

    assert ended.value.code == 1
    assert "The phase 'II' is named twice" in capsys.readouterr().err


def test_judges_who_always_differ_agree_never_and_prefer_left(valley, capsys):
    second_opinion(valley)

    found = run_json(capsys, "judge_agreement", "spring")

    row = found["tables"]["agreement"]["rows"][0]
    assert (row["pairs"], row["agreement"]["value"], row["beyond_chance"]["value"]) == (4, 0.0, -1.0)
    assert row["error_rate"] is None
    assert found["tables"]["sides"]["rows"][0]["left"]["value"] == 1.0
    assert [row["judgments"] for row in found["tables"]["workers"]["rows"]] == [4]


def test_label_noise_names_both_kinds_and_the_odds(valley, capsys):
    found = run_json(
        capsys, "label_noise", "spring", "--error", "0.2", "--trials", "50", "--official", "official"
    )

    table = {row["run"]: row for row in found["tables"]["noise"]["rows"]}
    assert table["new"]["queries"]["value"] == pytest.approx(2.5 / 3)
    assert table["new"]["difference_queries"] is None
    assert table[PERFECT]["labels"]["value"] == pytest.approx(2 / 3)
    sizes = [(row["size"], row["pools"]) for row in found["tables"]["odds"]["rows"]]
    assert sizes == [("1", 1), ("2", 1), ("3", 1), ("all", 3)]


def test_queries_without_a_qrel_do_not_count_against_the_perfect_run(valley, capsys):
    """Without q3's qrel q1 (new 1, old 1/2, perfect 0) and q2 (new 1/2, old 1, perfect 1) are left."""
    valley.official.qrels.filter(query__qid="q3").delete()

    found = run_json(capsys, "label_noise", "spring", "--trials", "50", "--official", "official")

    values = {row["run"]: row["queries"]["value"] for row in found["tables"]["noise"]["rows"]}
    assert values == pytest.approx({"new": 0.75, "old": 0.75, PERFECT: 0.5, "odd": 0.5})
    assert found["facts"]["queries"] == 2
    assert found["facts"]["left out for want of a qrel"] == "1 query"


def test_a_set_without_a_qrel_of_the_campaigns_queries_is_refused(valley, capsys):
    valley.official.qrels.exclude(query__qid="q4").delete()
    with pytest.raises(SystemExit) as ended:
        call_command("label_noise", "spring", "--official", "official")

    assert ended.value.code == 1
    assert "official has no relevant passage for any query of spring" in capsys.readouterr().err


def test_label_noise_is_not_resampled_again_until_a_judgment_comes_in(valley, capsys, monkeypatch):
    asked = ["label_noise", "spring", "--error", "0.2", "--trials", "20"]
    first = run_json(capsys, *asked)
    monkeypatch.setattr(services_label_noise, "label_noise", lambda *_, **__: pytest.fail("resampled"))

    assert run_json(capsys, *asked) == first
    valley.ladder("q4", "a4", "b4")
    with pytest.raises(pytest.fail.Exception, match="resampled"):
        call_command(*asked)


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--error", "0.7"], 2), (["--trials", "0"], 2), (["--reference", "nobody"], 1)]
)
def test_label_noise_refuses_what_makes_no_sense(valley, capsys, arguments, status):
    with pytest.raises(SystemExit) as ended:
        call_command("label_noise", "spring", *arguments)

    assert ended.value.code == status


@pytest.mark.parametrize(
    "command", ["label_noise --trials 20", "judge_agreement", "replicate_boards", "pool_bias", "win_ratios"]
)
def test_each_analysis_draws_its_figure(valley, command, tmp_path):
    second_opinion(valley)
    PoolRun.objects.bulk_create(PoolRun(pool=valley.pool, run=run) for run in valley.runs)

    name, *options = command.split()
    call_command(
        name,
        "spring",
        *options,
        "--figure",
        str(tmp_path / "figure.svg"),
        "--markdown",
        str(tmp_path / "t.md"),
    )

    drawn = (tmp_path / "figure.svg").read_text()
    assert "valley" in drawn  # the facts are under it
    assert "| " in (tmp_path / "t.md").read_text()
