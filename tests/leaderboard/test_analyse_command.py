"""`manage.py analyse`: every registered kind gives the same result by command, by its alias and on its page."""

import json

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command, get_commands

from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.registry import KINDS
from leaderboard.analyses.runner import analysis_key, compute_analysis
from leaderboard.board.default_measure import set_default_measure
from leaderboard.errors import NothingToScore
from leaderboard.output.content import analysis_content
from leaderboard.scoring.chosen_runs import chosen_runs
from pooling.models import PoolRun, PrivateQuery, QuerySplit
from tests.leaderboard.analyses.test_graded_analyses import graded_twice
from tests.leaderboard.analyses.test_noise_analyses import run_json, second_opinion
from web.analyses.pages import controls


def some_private(valley):
    split = QuerySplit.objects.create(collection=valley.collection)
    PrivateQuery.objects.bulk_create(
        PrivateQuery(split=split, query=valley.query(qid)) for qid in ("q1", "q2")
    )


@pytest.fixture
def judged_twice(valley, version):
    second_opinion(valley)
    graded_twice(valley)
    PoolRun.objects.bulk_create(PoolRun(pool=valley.pool, run=run) for run in valley.runs)
    return valley


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_makes_the_same_as_its_page_and_its_alias(judged_twice, capsys, name):
    kind, collection = KINDS[name], judged_twice.collection
    if kind.of_private:
        some_private(judged_twice)
    subject = judged_twice.campaign.name if kind.of_campaign else collection.name
    given = {"trials": "20", "splits": "5", "reference": "new", "official": "official", "qrels": "official"}
    given = {field.name: given[field.name] for field in kind.fields if field.name in given}
    options = [word for key, value in given.items() for word in (f"--{key}", value)]
    if name == "better_than_perfect":
        options[options.index("--reference")] = "--run"

    made = run_json(capsys, "analyse", name, subject, *options)
    runs = tuple(chosen_runs(collection)) if kind.of_runs else ()
    campaign = judged_twice.campaign if kind.of_campaign else None
    page = compute_analysis(Asked(kind, collection, runs, read_settings(kind.fields, given), campaign))

    assert made == json.loads(json.dumps(analysis_content(page), default=str))
    assert bool(page.figures) == (kind.has_figure and name != "progress")  # no run has a date
    if name in get_commands():
        alias = run_json(capsys, name, subject, *options)
        assert alias == (made["tasks"] if name == "track_statistics" else made)  # the counts alone


def without_runs(judged_twice, name):
    campaign = judged_twice.campaign if KINDS[name].of_campaign else None
    return Asked(KINDS[name], judged_twice.collection, (), read_settings(KINDS[name].fields, {}), campaign)


@pytest.mark.parametrize(
    "name", [kind.name for kind in KINDS.values() if kind.of_runs and not kind.without_runs]
)
@pytest.mark.parametrize("use", [analysis_key, compute_analysis])
def test_a_kind_that_needs_runs_says_that_there_are_none(judged_twice, name, use):
    with pytest.raises(NothingToScore, match="valley has no runs"):
        use(without_runs(judged_twice, name))


@pytest.mark.parametrize("name", ["near_duplicates", "reusability"])
def test_some_kinds_have_results_without_runs(judged_twice, name):
    assert compute_analysis(without_runs(judged_twice, name)).tables


def test_a_measure_is_the_leaderboards_unless_another_is_named(judged_twice, capsys):
    collection = judged_twice.collection
    set_default_measure(collection=collection, name="nDCG@10", who="owner")

    usual = run_json(capsys, "stability", collection.name, "--trials", "5", "--qrels", "official")
    named = run_json(capsys, "stability", collection.name, "--trials", "5", "--measures", "AP")
    fixed = run_json(capsys, "compare", collection.name, "--qrels", "official")

    assert [one["facts"]["measure"] for one in (usual, named, fixed)] == ["nDCG@10", "AP", "RR@10"]
    page = controls(collection, KINDS["query_spread"], {}, AnonymousUser())
    assert next(one for one in page if one.name == "measure").options[0] == ("nDCG@10", "nDCG@10")


def test_without_a_kind_it_lists_them(db, capsys):
    call_command("analyse")
    said = capsys.readouterr().out

    assert all(name in said and kind.sentence in said for name, kind in KINDS.items())
    assert run_json(capsys, "analyse").keys() == KINDS.keys()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["stability", "valley", "--trials", "0"],
            "--trials must be a whole number from 1 to 10,000, not 0.",
        ),
        (["compare", "valley", "--alpha", "0.9"], "--alpha must be a number from 0.0001 to 0.5, not 0.9."),
        (["judge_agreement", "spring", "--figure", "here.txt"], "here.txt"),
        (["track_statistics", "valley", "--figure", "here.svg"], "this analysis has no figure"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_computed(valley, capsys, arguments, said):
    with pytest.raises(SystemExit) as ended:
        call_command("analyse", *arguments)

    assert ended.value.code in (1, 2)
    assert said in capsys.readouterr().err


def test_a_figure_that_these_runs_do_not_have_is_noted(valley, tmp_path, capsys):
    call_command("analyse", "progress", "valley", "--figure", str(tmp_path / "here.svg"))

    assert "here.svg was not written: there is nothing to draw." in capsys.readouterr().err
    assert not (tmp_path / "here.svg").exists()


def test_a_version_is_a_number(valley, version, capsys):
    with pytest.raises(SystemExit):
        call_command("analyse", "board_agreement", "valley", "--version", "first")

    assert "The version cannot be 'first'." in capsys.readouterr().err
