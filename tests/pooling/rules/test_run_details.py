"""Structured details of runs: values, announcements, tables of many runs, and candidates for reranking."""

from datetime import date

import pytest
from django.core.management import call_command

from config.guidance import stored
from pooling.errors import InvalidFile, InvalidRunFile, PoolingError, SubmissionRefused
from pooling.files.run_tables import read_run_metadata
from pooling.models import AnnouncedRun, CollectionChange, Run
from pooling.rules.run_details import BY_NAME, DETAILS, Form, read_details, read_value, value_in_words
from pooling.runs.candidate_sets import drop_candidates, set_candidates
from pooling.runs.run_descriptions import describe_run
from pooling.runs.run_metadata import import_run_metadata, withdraw_announcements
from pooling.runs.runs import RunFacts, import_run
from pooling.teams.run_fields import asked_details, known_details, set_run_fields
from pooling.teams.submission_policies import set_policy
from tests.factories import make_collection
from web.common.directions import guidance_for_programs, guidance_html

MEASURES = {"nDCG@10", "AP"}


@pytest.fixture
def board(db):
    return make_collection("board", ["q1", "q2"])


@pytest.fixture
def submit(board, tmp_path):
    """Return a function that imports a run of these lines (qid, pid) under a tag."""

    def one(tag, lines=(("q1", "p1"), ("q2", "p2")), **facts):
        path = tmp_path / f"{tag}.run"
        ranks = {}
        text = ""
        for qid, pid in lines:
            ranks[qid] = ranks.get(qid, 0) + 1
            text += f"{qid} Q0 {pid} {ranks[qid]} {10 - ranks[qid]} {tag}\n"
        path.write_text(text)
        return import_run(collection=board, path=path, facts=RunFacts(**facts))

    return one


def describe_runs(board, text, **how):
    given = {"name": "runs.tsv", "is_measure": MEASURES.__contains__, "who": "ann"} | how
    return import_run_metadata(collection=board, text=text, **given)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("subtask", "Rerank", "rerank"),
        ("dense", "yes", True),
        ("dense", "0", False),
        ("priority", "2", 2),
        ("latency", "12.5", 12.5),
        ("task", "  passage ", "passage"),
        ("task", "Passage", "passage"),
        ("family", "BM25", "BM25"),
        ("links", "https://a.example\nhttps://b.example", ["https://a.example", "https://b.example"]),
        ("hardware", "", None),
    ],
)
def test_a_value_is_read_as_its_field_wants_it(name, given, value):
    assert read_value(BY_NAME[name], given) == value


@pytest.mark.parametrize(
    ("name", "given", "advice"),
    [
        ("subtask", "ranking", "fullrank, rerank"),
        ("dense", "maybe", "yes or no"),
        ("priority", "0", "whole number from 1"),
        ("priority", "1.5", "whole number from 1"),
        ("cost", "nan", "number from 0"),
        ("cost", "-1", "number from 0"),
        ("links", "javascript:alert(1)", "https://"),
        ("family", "x" * 101, "at most 100"),
    ],
)
def test_a_wrong_value_is_refused_with_the_field_and_what_to_write(name, given, advice):
    with pytest.raises(PoolingError) as refused:
        read_value(BY_NAME[name], given)

    assert BY_NAME[name].label in refused.value.message
    assert advice in refused.value.next_step


def test_every_detail_is_defined_and_reads_what_it_says():
    for detail in DETAILS:
        assert detail.definition.endswith(".")
        if detail.form is Form.CHOICE:
            assert [read_value(detail, value) for value in detail.choices] == list(detail.choices)
    assert value_in_words(BY_NAME["dense"], False) == "no"
    assert value_in_words(BY_NAME["latency"], 12.5) == "12.5 ms"


def test_an_unknown_detail_is_refused_with_the_known_ones():
    with pytest.raises(PoolingError, match="Unknown run detail 'nueral'") as refused:
        read_details({"nueral": "nn"}, BY_NAME)

    assert "neural" in refused.value.next_step


def test_a_collection_asks_for_what_it_chose_and_adds_its_own(board, submit):
    assert list(asked_details(board)) == list(BY_NAME)

    own = {"name": "tuned", "label": "Tuned on", "definition": "Which split.", "choices": ["train", "dev"]}
    set_run_fields(collection=board, asked=["subtask", "tuned"], own=[own], who="ann")
    run = submit("a", details={"tuned": "DEV", "subtask": "fullrank"})

    assert list(asked_details(board)) == ["subtask", "tuned"]
    assert run.details == {"tuned": "dev", "subtask": "fullrank"}
    assert CollectionChange.objects.filter(collection=board, what__contains="subtask, tuned").exists()


@pytest.mark.parametrize("name", ["team", "reported", "Subtask", "subtask", "run", "x" * 41, ""])
def test_an_own_field_cannot_take_the_name_of_another(board, name):
    with pytest.raises(PoolingError, match="cannot be called"):
        set_run_fields(collection=board, asked=[], own=[{"name": name}], who="ann")

    assert list(known_details(board)) == list(BY_NAME)


def test_a_policy_can_require_details_and_no_is_an_answer(board, submit):
    set_policy(collection=board, most_runs=5, period_days=10, required=["dense", "neural"])

    with pytest.raises(SubmissionRefused) as refused:
        submit("a", team="Otters", details={"dense": "no"})
    assert refused.value.missing == ("neural",)

    run = submit("a", team="Otters", details={"dense": "no", "neural": "trad"})
    with pytest.raises(SubmissionRefused, match="would remove required details"):
        describe_run(run=run, changes={"details": {"neural": ""}}, who="ann")
    assert Run.objects.get(pk=run.pk).details["neural"] == "trad"


def test_every_refusal_of_an_own_field_names_its_label_and_parameter(board, submit):
    own = {"name": "tuned_on", "label": "<Tuning> data", "choices": ["dev", "none"]}
    set_run_fields(collection=board, asked=["tuned_on"], own=[own], who="ann")
    set_policy(collection=board, most_runs=5, period_days=10, required=["tuned_on"])

    with pytest.raises(SubmissionRefused) as missing:
        submit("a", team="Otters")
    with pytest.raises(PoolingError) as wrong:
        submit("a", team="Otters", details={"tuned_on": "test"})
    run = submit("a", team="Otters", details={"tuned_on": "dev"})
    with pytest.raises(SubmissionRefused) as emptied:
        describe_run(run=run, changes={"details": {"tuned_on": ""}}, who="ann")

    step = missing.value.next_step
    assert step == "Add --detail tuned_on=…."
    assert guidance_html(stored(step)) == "Add “&lt;Tuning&gt; data”."
    assert guidance_for_programs(stored(step)) == "Add “tuned_on” (detail=tuned_on=…)."
    assert wrong.value.message == "<Tuning> data (tuned_on) cannot be 'test'."
    assert "<Tuning> data" in emptied.value.message


def test_details_change_one_by_one_and_an_empty_one_is_removed(submit):
    run = submit("a", details={"subtask": "rerank", "neural": "nnlm"})

    describe_run(run=run, changes={"details": {"subtask": None, "stage": "multi"}}, who="ann")

    assert run.details == {"neural": "nnlm", "stage": "multi"}


def test_details_do_not_reveal_an_author_under_embargo(submit):
    run = submit(
        "a",
        team="Otters",
        anonymous_until=date(2100, 1, 1),
        details={"neural": "nnlm", "links": "https://otters.example", "hardware": "the otters' cluster"},
    )

    assert run.without_author().details == {"neural": "nnlm"}


def test_a_table_describes_runs_and_announces_those_that_are_not_there(board, submit):
    there = submit("a", team="Otters")
    table = (
        "task\trun\tgroup\tsubtask\tdense\tbaseline\tnDCG@10\n"
        "passage\ta\tOtters\trerank\tno\tno\t0.5\n"
        "document\tb\tSeals\tfullrank\tyes\tyes\t0.6\n"
    )

    done = describe_runs(board, table)
    again = describe_runs(board, table)

    there.refresh_from_db()
    assert (done.described, done.announced, done.unchanged) == (("a",), ("b",), ())
    assert again.unchanged == ("a", "b")
    assert there.details == {
        "task": "passage",
        "subtask": "rerank",
        "dense": False,
        "reported": {"nDCG@10": 0.5},
    }
    assert AnnouncedRun.objects.get(run_tag="b").said["team"] == "Seals"


def test_an_empty_cell_leaves_a_baseline_as_it_is(board, submit):
    run = submit("a")
    describe_runs(board, "run,baseline,team\na,yes,Otters\n")

    describe_runs(board, "run,baseline,team\na,,Seals\n")

    run.refresh_from_db()
    assert (run.baseline, run.team) == (True, "Seals")


def test_a_file_gets_its_announced_details_and_its_own_take_precedence(board, submit):
    describe_runs(board, "run,team,date,subtask,neural\nb,Seals,2026-03-01,rerank,nn\n")

    run = submit("b", details={"neural": "nnlm"})

    assert (run.team, run.submitted_on) == ("Seals", date(2026, 3, 1))
    assert run.details == {"subtask": "rerank", "neural": "nnlm"}
    assert AnnouncedRun.objects.get().run == run
    assert withdraw_announcements(collection=board, run_tags=["b"], who="ann") == 0


@pytest.mark.parametrize(
    ("table", "line", "reason"),
    [
        ("run\tsubtask\na\trerank\nb\tnone\n", 3, "Subtask cannot be 'none'"),
        ("run\tnueral\na\tnn\n", 1, "unknown column 'nueral'"),
        ("team\tsubtask\nA\trerank\n", 1, "the column of run tags is missing"),
        ("run\tteam\tgroup\na\tA\tB\n", 1, "two columns contain the team"),
        ("run\tteam\na\n", 2, "the line has 1 columns, but the header has 2"),
        ("run\tteam\na\tA\na\tB\n", 3, "already described on line 2"),
        ("run\tAP\na\thigh\n", 2, "'high' is not a number"),
        ("run\tdate\na\t1.3.2026\n", 2, "is not a date"),
        ("run\tbaseline\na\tperhaps\n", 2, "neither yes nor no"),
        ('run,team\na,"A\n', 2, "not a table"),
        ("run\tteam\n", 0, "describes no runs"),
        ("", 1, "the column of run tags is missing"),
    ],
)
def test_a_wrong_table_changes_nothing_and_names_the_line(board, table, line, reason):
    with pytest.raises(InvalidFile) as refused:
        describe_runs(board, table)

    assert refused.value.line == line
    assert reason in refused.value.message
    assert refused.value.next_step
    assert not AnnouncedRun.objects.exists()


def test_a_dry_run_says_what_would_change_and_changes_nothing(board):
    done = describe_runs(board, "run;team\na;A\n", dry_run=True)

    assert done.announced == ("a",)
    assert done.in_words == ["a: team A"]
    assert not AnnouncedRun.objects.exists()
    assert not CollectionChange.objects.filter(what__contains="announced").exists()


def test_a_dry_run_names_each_run_and_its_new_values(board, submit, tmp_path, capsys):
    submit("a", team="Otters", details={"subtask": "rerank"})
    path = tmp_path / "runs.csv"
    path.write_text("run,team,subtask,dense,nDCG@10\na,Otters,fullrank,yes,0.5\nb,Seals,rerank,,\nc,,,,\n")

    call_command("import_run_metadata", board.name, str(path), "--dry-run")

    shown = capsys.readouterr().out
    assert "a: subtask fullrank; dense yes; nDCG@10 0.5\n" in shown
    assert "b: team Seals; subtask rerank\n" in shown
    assert "c: no details\n" in shown
    call_command("import_run_metadata", board.name, str(path))
    assert "subtask" not in capsys.readouterr().out


def test_a_policy_holds_for_tables_too(board, submit):
    set_policy(collection=board, most_runs=5, period_days=10, required=[])
    submit("a", team="Otters")

    with pytest.raises(InvalidFile, match="does not allow changes to: team") as refused:
        describe_runs(board, "run\tteam\tsubtask\na\tSeals\trerank\n")

    assert refused.value.line == 2
    assert Run.objects.get().details == {}


def test_a_wrong_column_is_answered_with_the_nearest_name():
    with pytest.raises(InvalidFile) as refused:
        read_run_metadata("run\tbaselin\n", name="t", known=BY_NAME, is_measure=lambda _: False)

    assert "Did you mean baseline?" in refused.value.next_step


@pytest.fixture
def candidates(board, tmp_path):
    path = tmp_path / "top2.txt"
    path.write_text("q1 Q0 p1 1 2 bm25\nq1 Q0 p3 2 1 bm25\nq2 Q0 p2 1 1 bm25\nq9 Q0 p9 1 1 bm25\n")
    return set_candidates(collection=board, path=path, who="ann")


def test_a_rerank_run_keeps_to_the_candidates(candidates, submit):
    assert (candidates.queries, candidates.depth) == (2, 2)

    submit("good", [("q1", "p3"), ("q1", "p1"), ("q2", "p2")], details={"subtask": "rerank"})
    submit("full", [("q1", "p7"), ("q2", "p2")], details={"subtask": "fullrank"})
    with pytest.raises(InvalidRunFile) as refused:
        submit("bad", [("q1", "p3"), ("q2", "p2"), ("q1", "p4"), ("q2", "p1")], details={"subtask": "rerank"})

    assert refused.value.line == 3
    assert "2 such passages in 2 queries" in refused.value.message
    assert not Run.objects.filter(run_tag="bad").exists()


def test_an_announced_rerank_run_keeps_to_them_too(board, candidates, submit):
    describe_runs(board, "run\tsubtask\nlate\trerank\n")

    with pytest.raises(InvalidRunFile, match="line 1: the passage is not among the candidates"):
        submit("late", [("q1", "p8")])


def test_without_candidates_any_run_is_let_in(board, candidates, submit):
    assert drop_candidates(collection=board, who="ann")

    submit("free", [("q1", "p8")], details={"subtask": "rerank"})

    assert not drop_candidates(collection=board, who="ann")


def test_commands_set_candidates_and_import_runs_with_details(board, tmp_path, capsys):
    top = tmp_path / "top.txt"
    top.write_text("q1 Q0 p1 1 1 bm25\n")
    run = tmp_path / "r.run"
    run.write_text("q1 Q0 p1 1 1 r\n")

    call_command("set_candidates", "board", str(top))
    call_command("import_runs", "board", str(run), "--subtask", "rerank", "--dense", "no", "--type", "bm25")

    assert "1 candidate for 1 query" in capsys.readouterr().out
    assert Run.objects.get().details == {"subtask": "rerank", "dense": False, "family": "bm25"}
