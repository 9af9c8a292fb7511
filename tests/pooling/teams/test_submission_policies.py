"""A board's policy at import, and public and private queries."""

from dataclasses import replace
from datetime import date

import pytest
from django.core.management import call_command

from pooling.errors import SplitRefused, SubmissionRefused
from pooling.labels.query_splits import keep_split, plan_split, private_qids, split_by_list
from pooling.models import PrivateQuery, Run
from pooling.runs.runs import RunFacts, import_run
from pooling.teams.submission_policies import drop_policy, set_policy
from tests.factories import make_collection

pytestmark = pytest.mark.django_db

FACTS = RunFacts(
    team="Otters",
    description="dense",
    details={"family": "dense"},
    submitted_on=date(2026, 3, 1),
    release="public",
)


@pytest.fixture
def board():
    return make_collection("board", [f"q{number}" for number in range(10)])


@pytest.fixture
def submit(board, tmp_path):
    """Return a function that imports a run of one line under a tag, with the given changes to FACTS."""

    def one(tag, **different):
        path = tmp_path / f"{tag}.run"
        path.write_text(f"q1 Q0 p-{tag} 1 1.0 {tag}\n")
        return import_run(collection=board, path=path, facts=replace(FACTS, **different))

    return one


def test_a_limit_of_one_run_in_one_day_is_stated_in_the_singular(board, submit):
    set_policy(collection=board, most_runs=1, period_days=1)
    submit("a")

    with pytest.raises(SubmissionRefused, match="a team may submit 1 run in any 1 day\\."):
        submit("b")


def test_one_run_too_many_is_refused_with_the_day_of_the_next(board, submit):
    set_policy(collection=board, most_runs=2, period_days=10)
    submit("a")
    submit("b", submitted_on=date(2026, 3, 4))

    with pytest.raises(SubmissionRefused) as refused:
        submit("c", submitted_on=date(2026, 3, 5))

    assert refused.value.welcome_on == date(2026, 3, 11)
    assert "a team may submit 2 runs in any 10 days." in refused.value.message
    assert "submit the next run from 2026-03-11" in refused.value.next_step
    assert not Run.objects.filter(run_tag="c").exists()
    submit("c", submitted_on=date(2026, 3, 11))


def test_other_teams_and_baselines_are_counted_apart(board, submit):
    set_policy(collection=board, most_runs=1, period_days=10)
    submit("a")

    submit("b", team="Voles")
    submit("c", baseline=True)

    assert set(Run.objects.values_list("run_tag", flat=True)) == {"a", "b", "c"}


def test_one_run_may_differ_only_by_hyperparameters_or_seed(board, submit):
    set_policy(collection=board, most_runs=9, period_days=10)
    submit("a")
    assert submit("b", variant_of="a").variant_of.run_tag == "a"

    with pytest.raises(SubmissionRefused, match="hyperparameters or seed"):
        submit("c", variant_of="a")

    submit("d")
    submit("e", variant_of="a", submitted_on=date(2026, 3, 11))


def test_metadata_must_be_complete(board, submit):
    set_policy(collection=board, most_runs=9, period_days=10, required=["paper", "description"])

    with pytest.raises(SubmissionRefused) as refused:
        submit("a", team="", description="")

    assert refused.value.next_step == "Add --team --description --paper."


def test_a_teams_name_is_frozen(board, submit):
    set_policy(collection=board, most_runs=9, period_days=10)
    submit("a")

    with pytest.raises(SubmissionRefused, match="team names cannot change"):
        submit("b", team="otters ")


def test_nobody_stays_anonymous_for_longer_than_the_board_allows(board, submit):
    set_policy(collection=board, most_runs=9, period_days=10, longest_embargo_days=30)
    submit("a", anonymous_until=date(2026, 3, 31))

    with pytest.raises(SubmissionRefused, match="2026-04-01"):
        submit("b", anonymous_until=date(2026, 4, 1))


def test_without_a_policy_everything_is_let_in(board, submit):
    set_policy(collection=board, most_runs=1, period_days=10)
    submit("a")

    assert drop_policy(collection=board)
    submit("b", team="")


def test_the_command_refuses_with_the_day(board, tmp_path, capsys):
    call_command("set_policy", "board", "--runs", "1", "--days", "30")
    said = ["--team", "Otters", "--description", "d", "--type", "dense", "--date", "2026-03-01"]
    for tag in "ab":
        (tmp_path / tag).write_text(f"q1 Q0 p{tag} 1 1.0 {tag}\n")
    call_command("import_runs", "board", str(tmp_path / "a"), *said)

    with pytest.raises(SystemExit) as ended:
        call_command("import_runs", "board", str(tmp_path / "b"), *said)

    assert ended.value.code == 1
    assert "submit the next run from 2026-03-31" in capsys.readouterr().err


def test_private_queries_are_drawn_the_same_from_the_same_seed(board):
    other = make_collection("other", [f"q{number}" for number in range(10)])

    keep_split(board, plan_split(board, share=0.4, seed=3))
    keep_split(other, plan_split(other, share=0.4, seed=3))

    assert private_qids(board) == private_qids(other)
    assert len(private_qids(board)) == 4


def test_private_queries_can_be_listed_and_never_change(board, tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("q1\r\nq2\n\n")

    split_by_list(collection=board, path=path)
    split_by_list(collection=board, path=path)

    assert private_qids(board) == {"q1", "q2"}
    assert PrivateQuery.objects.count() == 2
    with pytest.raises(SplitRefused, match="other private queries"):
        keep_split(board, plan_split(board, share=0.4, seed=3))


@pytest.mark.parametrize("content", ["q1\nnone\n", "q1\nq1\n", "", "\n".join(f"q{n}" for n in range(10))])
def test_a_list_that_makes_an_empty_part_is_refused(board, tmp_path, content):
    path = tmp_path / "private.txt"
    path.write_text(content)

    with pytest.raises(SplitRefused):
        split_by_list(collection=board, path=path)
    assert private_qids(board) == frozenset()
