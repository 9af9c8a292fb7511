"""Reusability of labels: worked by hand, with near-duplicates, beside other labels, and on a real track."""

import json

import pytest
import pytrec_eval
from django.core.management import call_command

from leaderboard.analyses.fields import read_settings
from leaderboard.analyses.kinds import Asked
from leaderboard.analyses.reusability.kind import KIND
from leaderboard.analyses.runner import (
    analysis_key,
    compute_analysis,
    keep_result,
    result_now,
    result_or_older,
)
from leaderboard.errors import MembersOnly, UnknownMeasure
from leaderboard.jobs import job_key
from leaderboard.scoring.labels import labels_named
from pooling.models import ClusterSet, Collection, QrelSet
from pooling.passages.clusters import Classes, store_classes
from pooling.storage.ranking_files import ranking_of
from tests.factories import make_collection, make_qrels, make_run
from tests.leaderboard.analyses.analysed import analysed, rows


def asked(collection, released=False, **given):
    runs = tuple(collection.runs.order_by("run_tag"))
    return Asked(KIND, collection, runs, read_settings(KIND.fields, given), released=released)


@pytest.fixture
def bay(db):
    """q1: a and b are relevant, c is not; q2: d is relevant, e and f are not. Only ``solo`` has b."""
    collection = make_collection("bay", ["q1", "q2"])
    labels = [("q1", "a", 1), ("q1", "b", 1), ("q1", "c", 0), ("q2", "d", 1), ("q2", "e", 0), ("q2", "f", 0)]
    make_qrels(collection, "official", labels)
    make_run(collection, "solo", {"q1": ["b", "c"], "q2": ["d"]}, team="lone")
    make_run(collection, "pair", {"q1": ["c", "a"], "q2": ["d", "x"]}, team="both")
    make_run(collection, "twin", {"q1": ["c", "c2", "a"], "q2": ["e", "d"]}, team="both")
    return collection


def test_density_by_query_falls(bay):
    analysis = compute_analysis(asked(bay))

    assert analysis.content["density"] == {"q1": pytest.approx(2 / 3), "q2": pytest.approx(1 / 3)}
    assert [row["qid"] for row in rows(analysis, "density")] == ["q1", "q2"]
    assert analysis.sentences[0].startswith("1 of 2 queries have a density of 0.40 or more")
    assert analysis.figures[0].charts[0]["line"] == 0.4
    assert analysis.figures[0].charts[0]["rows"] == ["q1", "q2"]


def test_unjudged_passages_by_run(bay):
    assert compute_analysis(asked(bay)).content["unjudged_at_10"] == {
        "solo": 0.0,
        "pair": pytest.approx(1 / 4),
        "twin": pytest.approx(1 / 5),
    }


def test_runs_of_another_kind_than_the_labels_are_left_out_and_named(bay):
    make_run(bay, "docs", {"q1": ["D1"], "q2": ["D2"]}, details={"task": "Document"})

    analysis = compute_analysis(asked(bay))

    assert set(analysis.content["unjudged_at_10"]) == {"solo", "pair", "twin"}
    assert analysis.content["runs_left_out"] == ["docs"]
    assert "Document runs are left out: docs." in analysis.sentences

    of = QrelSet.objects.get(name="official")
    make_qrels(bay, "documents", [("q1", "D1", 1), ("q2", "D9", 1)], mapped_from=of)
    assert set(compute_analysis(asked(bay, qrels="documents")).content["unjudged_at_10"]) == {"docs"}


def test_near_duplicates_count_as_judged_and_save_judgments(bay):
    store_classes(bay, Classes(ClusterSet.Method.FILE, {"c": "c", "c2": "c"}, {}))

    content = compute_analysis(asked(bay)).content

    assert content["unjudged_at_10"]["twin"] == 0.0
    # Pooled: a b c c2 and d e x.
    assert content["saved"] == {"pooled": 7, "saved": 1}


@pytest.mark.parametrize("kind", ["reusability", "near_duplicates"])
def test_a_measure_of_answered_queries_alone_cannot_rank(bay, kind):
    with pytest.raises(UnknownMeasure, match="cannot rank runs"):
        analysed(kind, bay, list(bay.runs.all()), measure="ESL@10")


def test_a_run_loses_what_only_it_contributed(bay):
    found = {row["run"]: row for row in rows(compute_analysis(asked(bay, measure="RR@10")), "left_out")}

    solo = found["solo"]
    assert (solo["dropped"], solo["before"], solo["after"]) == (1, 1.0, 0.5)
    assert (solo["rank_before"], solo["rank_after"], solo["shift"]) == (1, 2, -1)
    # Only twin has e, which is not relevant.
    assert (found["twin"]["dropped"], found["twin"]["change"]) == (1, 0.0)
    assert found["pair"]["dropped"] == 0


def test_losses_of_places_and_of_value_are_stated_separately(bay):
    said = compute_analysis(asked(bay, measure="RR@10")).sentences[-1]
    assert "the greatest loss is 1 place (solo), and the greatest loss of value is 0.5000 (solo)." in said

    bay.runs.exclude(run_tag="solo").delete()
    make_run(bay, "poor", {"q1": ["c"], "q2": ["x", "y", "d"]})
    said = compute_analysis(asked(bay, measure="RR@10")).sentences[-1]
    assert "no run loses a place, and the greatest loss of value is 0.5000 (solo)." in said


def test_a_retrieved_near_duplicate_has_the_label_and_is_contributed_with_its_class(bay):
    store_classes(bay, Classes(ClusterSet.Method.FILE, {"b": "b", "b2": "b"}, {}))
    make_run(bay, "near", {"q1": ["b2"], "q2": ["d"]})

    found = {row["run"]: row for row in rows(compute_analysis(asked(bay, measure="RR@10")), "left_out")}

    assert (found["near"]["before"], found["near"]["after"]) == (1.0, 1.0)
    assert found["solo"]["dropped"] == found["near"]["dropped"] == 0


def test_a_team_loses_what_its_runs_contributed_together(bay):
    found = {
        row["run"]: row for row in rows(compute_analysis(asked(bay, measure="RR@10", by="team")), "left_out")
    }

    # a and e; c and d are solo's too.
    assert found["twin"]["group"] == "team both"
    assert found["twin"]["dropped"] == found["pair"]["dropped"] == 2
    assert (found["pair"]["before"], found["pair"]["after"]) == (0.75, 0.5)


def test_passages_below_the_pool_depth_contribute_nothing(bay):
    found = {
        row["run"]: row for row in rows(compute_analysis(asked(bay, measure="RR@10", depth="1")), "left_out")
    }

    assert found["pair"]["dropped"] == 0
    assert found["solo"]["dropped"] == 1


def test_the_command_prints_density_and_unjudged_passages(bay, capsys):
    call_command("reusability", "bay", "--qrels", "official", "--json")
    printed = json.loads(capsys.readouterr().out)

    assert printed["density"]["q1"] == pytest.approx(2 / 3)
    assert printed["unjudged_at_10"]["pair"] == 0.25


def test_another_collections_density_is_drawn_beside_only_if_it_is_public(bay):
    other = make_collection("cove", ["q1"])
    make_qrels(other, "graded", [("q1", "a", 1)])
    with pytest.raises(MembersOnly):
        compute_analysis(asked(bay, against="cove/graded"))

    Collection.objects.filter(name="cove").update(visibility="published")
    before = analysis_key(asked(bay, against="cove/graded"))
    figure = compute_analysis(asked(bay, against="cove/graded")).figures[0]
    QrelSet.objects.update(min_grade=2)

    assert compute_analysis(asked(bay, measure="RR@10")).facts.measure == "RR@10"
    assert [series["name"] for series in figure.charts[0]["series"]] == ["official", "graded"]
    assert analysis_key(asked(bay, against="cove/graded")) != before
    QrelSet.objects.filter(name="graded").update(withheld=True)
    with pytest.raises(MembersOnly):
        compute_analysis(asked(bay, against="cove/graded"))


@pytest.mark.parametrize(
    "given",
    [
        {"qrels": "official"},
        {"qrels": "more", "against": "official"},
        {"qrels": "more", "against": "bay/official"},
    ],
)
def test_withheld_labels_are_for_members(bay, given):
    make_qrels(bay, "more", [("q1", "a", 1)])
    QrelSet.objects.filter(name="official").update(withheld=True)

    compute_analysis(asked(bay, **given))
    with pytest.raises(MembersOnly):
        compute_analysis(asked(bay, released=True, **given))


@pytest.mark.parametrize("against", ["more", "bay/more", "cove/graded"])
def test_a_stored_result_is_refused_once_the_labels_to_compare_with_are_hidden(bay, against):
    make_qrels(bay, "more", [("q1", "a", 1)])
    other = make_collection("cove", ["q1"], visibility="published")
    make_qrels(other, "graded", [("q1", "a", 1)])
    request = asked(bay, released=True, qrels="official", against=against)
    keep_result(request, lambda done, total, message: None)
    assert result_or_older(request)

    QrelSet.objects.exclude(name="official").update(withheld=True)

    for read in (result_or_older, result_now, analysis_key, job_key):
        with pytest.raises(MembersOnly):
            read(request)


@pytest.mark.parametrize("released", [False, True])
def test_no_error_reveals_whether_a_private_collection_exists(bay, released):
    make_qrels(make_collection("cove", ["q1"]), "graded", [("q1", "a", 1)])

    for name in ("cove", "gone"):
        with pytest.raises(MembersOnly, match=f"The labels {name}/graded cannot be used here") as said:
            analysis_key(asked(bay, released=released, against=f"{name}/graded"))
        assert "Collections:" not in str(said.value)


def test_preference_labels_can_be_left_out_too(valley, version):
    analysis = compute_analysis(asked(valley.collection, qrels="@1", measure="RR@10"))

    assert {row["run"] for row in rows(analysis, "left_out")} == {"old", "new", "odd"}


@pytest.mark.soak
def test_the_labels_of_trec_2021_against_pytrec_eval(track):
    """All 16 runs are pooled, so few of their first ten passages are unjudged."""
    analysis = compute_analysis(asked(track, qrels="official", measure="nDCG@10"))
    left = {row["run"]: row for row in rows(analysis, "left_out")}
    labels = labels_named(track, "official")
    graded: dict[str, dict[str, int]] = {qid: {} for qid in labels.qids}
    for query, pid, grade in zip(labels.query.tolist(), labels.pids, labels.grades.tolist(), strict=True):
        graded[labels.qids[query]][pid] = int(grade)
    tops = {run.run_tag: ranking_of(run, 10).tops(10) for run in track.runs.all()}

    tag = "bcai_p_vbert"
    kept = {
        qid: {
            pid: grade
            for pid, grade in grades.items()
            if any(pid in top.get(qid, ()) for other, top in tops.items() if other != tag)
            or pid not in tops[tag].get(qid, ())
        }
        for qid, grades in graded.items()
    }
    scored = {
        qid: {pid: 10.0 - place for place, pid in enumerate(pids)}
        for qid, pids in tops[tag].items()
        if qid in graded
    }
    values = pytrec_eval.RelevanceEvaluator(kept, {"ndcg_cut.10"}).evaluate(scored)

    assert left[tag]["dropped"] == sum(map(len, graded.values())) - sum(map(len, kept.values())) > 0
    assert left[tag]["after"] == pytest.approx(
        sum(one["ndcg_cut_10"] for one in values.values()) / len(graded)
    )
    assert len(analysis.content["density"]) == 53
    assert max(analysis.content["unjudged_at_10"].values()) < 0.05
    assert left["pash_f1"]["rank_before"] == left["pash_f1"]["rank_after"] == 1
