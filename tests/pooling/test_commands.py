"""Each step as a command: results on stdout, exit status 0, 1 or 2; and the real runs of TREC 2021."""

import json

import pytest
from django.core.management import call_command

from pooling.models import Collection, Passage, PoolRun
from tests.pooling.conftest import PASSAGES, QRELS, QUERIES, RUN_A, RUN_B

pytestmark = pytest.mark.django_db


@pytest.fixture
def run_command(capsys):
    """Return a function that runs a command and returns its result, or the exit status, stderr and result."""

    def run(*arguments: object):
        capsys.readouterr()
        try:
            call_command(*map(str, arguments), "--json")
        except SystemExit as exit:
            said = capsys.readouterr()
            return (exit.code, said.err, *([json.loads(said.out)] if said.out else []))
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def small(run_command, write):
    run_command(
        *("import_collection", "small", "--queries", write("queries.tsv", QUERIES)),
        *("--passages", write("passages.tsv", PASSAGES), "--qrels", write("qrels.txt", QRELS)),
    )
    return "small"


def test_the_steps_of_pooling_follow_each_other(run_command, small, write):
    checked = run_command("check_run", write("a", RUN_A), "--collection", small)
    imported = run_command(
        "import_runs", small, write("a", RUN_A), write("b", RUN_B), "--team", "T", "--date", "2021-08-01"
    )
    built = run_command("build_pool", small, "--pool", "first", "--all-runs", "--qrels", "official")
    stats = run_command("pool_stats", "first")

    assert (checked["run"], checked["lines"], checked["warnings"]) == ("A", 4, [])
    assert [run["run"] for run in imported["imported"]] == ["A", "B"]
    assert built == {
        "pool": "first",
        "queries": 3,
        "passages": 5,
        "pairs": 2,
        "runs": 2,
        "without_text": 0,
        "without_priority": 0,
        "left_out": [],
        "share_no_passage": [],
    }
    wanted = {"queries", "mean", "median", "max", "singletons", "qrel_added", "pairs", "tasks", "cost"}
    assert wanted <= stats.keys()
    assert (stats["pairs"], stats["tasks"], stats["cost"]) == (2, 1, 2.4)


def test_the_language_of_a_collection_can_be_corrected(run_command, small):
    said = run_command("set_language", small, "ar")

    assert (said["before"], said["language"]) == ("en", "ar")
    assert Collection.objects.get(name=small).language == "ar"
    assert run_command("set_language", small, "no tag")[0] == 1
    assert run_command("set_language", "none", "ar")[0] == 1


def test_texts_are_fetched_by_command(run_command, small, write):
    more = write("more.jsonl", '{"pid": "x", "passage": "more"}\n')

    assert run_command("fetch_passages", small)["found"] == 2
    assert run_command("fetch_passages", small, "--passages", more, "--all-passages") == {
        "sources": 1,
        "texts": 10,
    }


def test_the_command_fetches_the_texts_of_runs_top_passages(run_command, small, write):
    run_command("import_runs", small, write("a", RUN_A))
    of_run_a = Passage.objects.filter(pid__in=["p1", "p2", "p3", "p5"]).exclude(text=None)
    assert of_run_a.count() == 0

    fetched = run_command("fetch_passages", small)

    assert (fetched["wanted"], fetched["found"], fetched["missing"]) == (5, 5, [])
    assert of_run_a.count() == 4


def test_a_collection_can_keep_every_text_from_the_start(run_command, write):
    made = run_command(
        *("import_collection", "small", "--queries", write("queries.tsv", QUERIES)),
        *("--passages", write("passages.tsv", PASSAGES), "--all-passages"),
    )

    assert made["texts"] == 9


def test_a_bad_file_is_refused_and_the_others_are_imported(run_command, small, write):
    status, said, result = run_command(
        "import_runs", small, write("a", RUN_A), write("bad", "1 Q0 p1 x 3 C\n"), write("b", RUN_B)
    )

    assert status == 1
    assert "line 1: the rank 'x' is not an integer" in said
    assert [run["run"] for run in result["imported"]] == ["A", "B"]
    assert "line 1: the rank 'x' is not an integer" in result["refused"][0]


def test_a_pool_can_be_for_some_queries(run_command, small, write):
    run_command("import_runs", small, write("a", RUN_A))

    built = run_command(
        "build_pool", small, "--pool", "two", "--runs", "A", "--queries", write("q", "1\n3\n")
    )

    assert built["queries"] == 2


@pytest.mark.parametrize(
    ("words", "brought"),
    [(["A,B"], {"A", "B"}), (["A", "--runs", "A,B,C"], {"A", "A,B,C"}), (["A,B,C"], {"A,B,C"})],
)
def test_a_pool_is_of_the_runs_that_are_named(run_command, small, write, words, brought):
    run_command("import_runs", small, write("a", RUN_A), write("b", RUN_B))
    assert run_command("import_runs", small, write("c", RUN_B.replace(" B", " A,B,C")))["imported"]

    assert run_command("build_pool", small, "--pool", "none", "--runs", ",")[0] == 2
    run_command("build_pool", small, "--pool", "three", "--runs", *words)

    assert set(PoolRun.objects.values_list("run__run_tag", flat=True)) == brought


@pytest.mark.parametrize(
    "arguments",
    [
        ("import_runs", "small", "a", "b", "--tag", "t"),
        ("build_pool", "small", "--pool", "p", "--sample", "3"),
        ("build_pool", "small", "--pool", "p", "--depth", "0"),
        ("pool_stats", "p", "--reward", "much"),
    ],
)
def test_wrong_usage_exits_with_two(run_command, arguments):
    assert run_command(*arguments)[0] == 2


@pytest.mark.parametrize(
    "command", [("pool_stats", "none"), ("fetch_passages", "none"), ("check_run", "none")]
)
def test_what_is_not_there_exits_with_one(run_command, command):
    status, said, *_ = run_command(*command)

    assert status == 1
    assert "Refused" in said


@pytest.mark.parametrize(
    "command",
    [
        *("import_collection", "import_qrels", "import_runs", "check_run"),
        *("fetch_passages", "build_pool", "pool_stats", "set_language"),
    ],
)
def test_help_shows_an_example(capsys, command):
    with pytest.raises(SystemExit) as exit:
        call_command(command, "--help")

    assert exit.value.code == 0
    assert f"manage.py {command} " in capsys.readouterr().out.partition("Example:")[2]


def test_people_are_shown_the_pool(capsys, small, write):
    call_command("import_runs", small, str(write("a", RUN_A)), str(write("b", RUN_B)))
    call_command("build_pool", small, "--pool", "first")
    capsys.readouterr()

    call_command("pool_stats", "first")

    assert "3 queries, 4 passages" in capsys.readouterr().out


def test_the_pool_of_16_real_runs_is_the_known_one(run_command, shared_data):
    """TREC 2021 Deep Learning; the figures follow from the runs, see the data's README."""
    folder = shared_data / "dl21"
    run_command("import_collection", "dl21", "--queries", folder / "topics.tsv")
    run_command("import_qrels", "dl21", folder / "qrels.txt", "--set", "graded", "--min-grade", "2")
    run_command("import_runs", "dl21", *sorted((folder / "runs").iterdir()))

    run_command("build_pool", "dl21", "--pool", "dl21", "--all-runs", "--qrels", "graded")
    stats = run_command("pool_stats", "dl21")

    assert round(stats["mean"], 4) == 9.0608
    assert {
        key: stats[key] for key in ("queries", "median", "max", "singletons", "qrel_added", "pairs", "tasks")
    } == {
        "queries": 477,
        "median": 9,
        "max": 16,
        "singletons": 0,
        "qrel_added": 41,
        "pairs": 19_085,
        "tasks": 1_909,
    }
