"""The commands of graded campaigns, as they are typed."""

import json

import pytest
from django.core.management import call_command

from judging.grading.assignments import take_topic, topic_named
from judging.models import GradedCampaign
from pooling.pools.pools import build_pool
from tests.judging.grading.conftest import RULES, grade_all


@pytest.fixture
def typed(capsys):
    def run(*words):
        call_command(*map(str, words), "--json")
        return json.loads(capsys.readouterr().out)

    return run


def test_a_graded_campaign_from_pool_to_labels(reef, people, typed, tmp_path, capsys, monkeypatch):
    build_pool(collection=reef, name="depth", runs=list(reef.runs.order_by("run_tag")), depth=10)
    scale = tmp_path / "scale.txt"
    scale.write_text("No | It does not answer.\nPartly | It answers a part.\nYes | It answers.\n")
    rules = [word for name, value in RULES.items() for word in ("--rule", f"{name}={value}")]

    words = ["--scale", scale, "--small-pools", *rules]
    made = typed("create_grading", "reef", "depth", "--name", "graded", *words)
    assert (made["topics"], made["rules"]["opening"]) == ({"candidate": 2}, 4)
    assert {one["density"] for one in typed("grading_status", "reef", "graded")["listed"]} == {None}
    gone = typed("decide_topic", "reef", "graded", "q2", "eliminated", "--why", "too broad")
    assert (gone["state"], gone["reason"]) == ("eliminated", "too broad")

    topic = topic_named(GradedCampaign.objects.get(), "q1")
    grade_all(take_topic(topic, people[0]), {"p1": 2, "p5": 2})
    status = typed("grading_status", "reef", "graded")
    told = {one["qid"]: (one["state"], one["judged"], one["relevant"]) for one in status["listed"]}
    assert told == {"q1": ("accepted", 6, 2), "q2": ("eliminated", 0, 0)}
    assert len(typed("grading_status", "reef", "graded", "--grades")["grades"]) == 6
    monkeypatch.setenv("COLUMNS", "80")
    call_command("grading_status", "reef", "graded")
    shown = capsys.readouterr().out
    assert all(word in shown.split() for word in ("accepted", "eliminated", "relevant", "density"))
    assert "q2: too broad" in shown

    assert typed("publish_grades", "reef", "graded", "--set", "ours", "--withheld")["labels"] == 6
    assert typed("end_grading", "reef", "graded", "--why", "done")["state"] == "ended"
    assert typed("end_grading", "reef", "graded", "--why", "more", "--reopen")["state"] == "open"
    call_command("end_grading", "reef", "graded", "--why", "done")
    assert "effort" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rule", "opening"], "write NAME=VALUE"),
        (["--rule", "openings=3"], "Unknown rule: 'openings'"),
        (["--scale", "nowhere.txt"], "Cannot read nowhere.txt"),
        ([], "2 of 2 topics have at most 6 passages in the pool."),
        (["--rule", "opening=6"], "1 of 2 topics has at most 2 passages in the pool."),
    ],
)
def test_wrong_options_are_refused(reef, capsys, words, said):
    build_pool(collection=reef, name="depth", runs=list(reef.runs.all()), depth=10)

    with pytest.raises(SystemExit):
        call_command("create_grading", "reef", "depth", "--name", "graded", *words)

    assert said in capsys.readouterr().err
    assert not GradedCampaign.objects.exists()


def test_the_command_states_the_range_of_passages(reef, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    build_pool(collection=reef, name="depth", runs=list(reef.runs.all()), depth=10)

    call_command("create_grading", "reef", "depth", "--name", "graded", "--small-pools", "--budget", "200")

    shown = capsys.readouterr().out
    assert (
        "8 passages if every topic is discarded early, 8 if the whole pools are judged, 200 if every topic is "
        "accepted as early as possible, and the budget ends the judging at 200."
    ) in shown
    assert "fewer than 4 relevant passages" in shown
    assert "2 of 2 topics have at most 6 passages in the pool." in shown
