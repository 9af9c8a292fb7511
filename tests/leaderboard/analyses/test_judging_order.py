"""The origin of graded labels: their sources, and the gain curve of a topic."""

import pytest
from matplotlib.figure import Figure

from judging.grading.assignments import take_topic, topic_named
from judging.grading.decisions import decide_by_hand
from judging.grading.graded_campaigns import GradingSettings, create_graded_campaign
from judging.grading.graded_labels import publish_labels
from judging.grading.grades import give_grade
from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.reusability.judging_order import JudgedTopic, gain_figure, gain_table, source_table
from leaderboard.analyses.reusability.kind import KIND
from leaderboard.analyses.runner import compute_analysis
from leaderboard.output.drawing import figure_image
from pooling.pools.pools import build_pool
from tests.factories import make_collection, make_run


def test_the_gain_curve_counts_relevant_passages_in_the_order_of_judging():
    topic = JudgedTopic("q1", (False, True, False, True, True, False), (0, 0, 0, 1, 1, 2))

    assert topic.gain == [0, 1, 1, 2, 3, 3]
    assert [topic.judged_until(share) for share in (0.3, 0.5, 1.0)] == [2, 4, 5]
    assert JudgedTopic("q2", (False, False), (0, 0)).judged_until(0.5) is None
    assert JudgedTopic("q3", (), ()).judged_until(0.5) is None


def test_sources_in_a_fraction_name_it():
    topic = JudgedTopic("q1", (True, False, True), (0, 1, 2), 20)

    table = source_table([topic], facts=None)

    assert [row.values["source"] for row in table.rows] == [
        "first of the pool, 1/20 of the corpus",
        "rest of the pool, 1/20 of the corpus",
        "iteration 1, 1/20 of the corpus",
    ]
    assert table.caption.endswith("All are from a fraction of the corpus: one in 20 passages.")


def texts_of_gain(topics) -> set[str]:
    canvas = Figure(figsize=(6, 3.6))
    gain_figure(topics, gain_table(topics, facts=None), facts=None).draw(canvas)
    return {one.get_text() for one in canvas.axes[0].texts}


def test_gain_curves_are_named_and_of_many_only_the_extremes():
    few = [JudgedTopic(f"q{n}", (True,) * n + (False,) * (12 - n), (0,) * 12) for n in range(1, 5)]
    assert texts_of_gain(few) == {"q1", "q2", "q3", "q4"}

    many = [JudgedTopic(f"q{n}", (True,) * n + (False,) * n, (0,) * 2 * n) for n in range(1, 20)]
    assert texts_of_gain(many) == {"q1", "q19"}


@pytest.fixture
def labeled(db, django_user_model):
    """One topic of six passages: two in the opening, of which one is relevant, and four later, one relevant."""
    collection = make_collection("cape", ["q1", "q2"])
    ranked = {"q1": [f"p{number}" for number in range(6)], "q2": ["p9"]}
    run = make_run(collection, "a", ranked, team="Otters")
    pool = build_pool(collection=collection, name="deep", runs=[run], depth=10)
    rules = {"opening": 2, "discard_share": 1.0, "accept_judged": 6, "accept_relevant": 2}
    campaign = create_graded_campaign(
        pool=pool, name="swell", settings=GradingSettings(min_grade=1, rules=rules, placeholder_text=True)
    )
    assignment = take_topic(topic_named(campaign, "q1"), django_user_model.objects.create_user("ann"))
    for position, grade in enumerate([0, 1, 0, 2, 0, 0]):
        give_grade(assignment.items.get(position=position), grade)
    decide_by_hand(topic_named(campaign, "q2"), "eliminated", why="no question", who="ann")
    publish_labels(campaign, set_name="graded", who="ann")
    return collection


def test_labels_of_a_graded_campaign_show_their_sources_and_gain(labeled):
    settings = read_settings(KIND.fields, {"qrels": "graded", "measure": "RR@10"})

    analysis = compute_analysis(Asked(KIND, labeled, tuple(labeled.runs.all()), settings))

    tables = {table.key: [row.values for row in table.rows] for table in analysis.tables}
    assert tables["sources"] == [
        {"source": "first of the pool", "topics": 1, "judged": 2, "relevant": 1, "share": 0.5},
        {"source": "rest of the pool", "topics": 1, "judged": 4, "relevant": 1, "share": 0.25},
    ]
    assert tables["gain"] == [
        {"qid": "q1", "judged": 6, "relevant": 2, "until_50": 2, "until_90": 4, "until_100": 4}
    ]
    gain = next(figure for figure in analysis.figures if figure.key == "gain")
    assert gain.charts[0]["form"] == "curves"
    assert gain.charts[0]["curves"] == [
        {
            "name": "q1",
            "values": [0, 1, 1, 2, 2, 2],
            "marks": [[2, "first of the pool"], [6, "rest of the pool"]],
        }
    ]
    assert figure_image(gain, "svg").startswith(b"<?xml")
