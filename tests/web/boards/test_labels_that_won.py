"""Withheld labels in a published version: a label that won, and one that is its pool's only passage."""

import csv
import io

import pytest
from django.test import Client

from config import clock
from judging.models import Campaign, Judgment, Pair, Worker
from leaderboard.analyses.registry import KINDS
from pooling.models import Passage, Pool, PooledPassage, PoolRun, QrelSet, Query
from pooling.teams.submission_policies import set_policy
from tests.factories import make_collection, make_qrels, make_run
from tournament.services import publish_qrels
from tournament.services.label_reveals import telling_versions, withheld_labels

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ROOT, API = "/collections/strait/", "/api/v1/collections/strait"
EACH = 8
QIDS = [f"q{number:02}" for number in range(3 * EACH)]
ALONE, BEATEN, WON = QIDS[:EACH], QIDS[EACH : 2 * EACH], QIDS[2 * EACH :]
#: The label is the top of both runs, or else alpha's third passage.
LABELS = {qid: f"top-{qid}" if qid in ALONE else f"third-{qid}" for qid in QIDS}


@pytest.fixture
def strait():
    return published(WON)


def published(won):
    """Publish a version in which both runs have the same tops, so that a pool has one passage or also the label."""
    collection = make_collection("strait", QIDS, visibility="published")
    runs = [
        make_run(
            collection,
            tag,
            {qid: [f"{rank}-{qid}" for rank in ranked] for qid in QIDS},
            release="public",
            report={"queries": len(QIDS), "depth": 3, "lines": 3 * len(QIDS)},
        )
        for tag, ranked in (("alpha", ("top", "second", "third")), ("beta", ("top", "third", "fourth")))
    ]
    for qid in QIDS:
        Passage.objects.get_or_create(collection=collection, pid=f"top-{qid}")
    labels = make_qrels(collection, "official", [(qid, pid, 1) for qid, pid in LABELS.items()], withheld=True)
    pool = Pool.objects.create(collection=collection, name="tide", qrel_set=labels)
    PoolRun.objects.bulk_create(PoolRun(pool=pool, run=run) for run in runs)
    campaign = Campaign.objects.create(
        name="spring", collection=collection, pool=pool, seed=1, state="open", launched_at=clock.now()
    )
    judge = Worker.objects.create()
    for query in Query.objects.order_by("position"):
        top = Passage.objects.get(pid=f"top-{query.qid}")
        label = Passage.objects.get(pid=LABELS[query.qid])
        keys = [run.pk for run in runs]
        PooledPassage.objects.create(pool=pool, query=query, passage=top, run_ids=keys, is_qrel=top == label)
        if top == label:
            continue
        PooledPassage.objects.create(pool=pool, query=query, passage=label, run_ids=[], is_qrel=True)
        low, high = sorted((top, label), key=lambda one: one.pk)
        pair = Pair.objects.create(campaign=campaign, query=query, passage_a=low, passage_b=high)
        preferred = label if query.qid in won else top
        Judgment.objects.create(
            campaign=campaign, pair=pair, left=low, right=high, worker=judge, preferred=preferred
        )
    publish_qrels(campaign=campaign)
    return collection


def guesses(client: Client) -> dict[str, str]:
    """Guess labels from the rankings of both runs and everything public."""
    ranked = {
        "alpha": lambda qid: [f"{rank}-{qid}" for rank in ("top", "second", "third")],
        "beta": lambda qid: [f"{rank}-{qid}" for rank in ("top", "third", "fourth")],
    }
    found: dict[str, str] = {}
    listed = client.get(f"{ROOT}versions/1/queries.csv")
    for row in csv.DictReader(io.StringIO(b"".join(listed).decode())):
        if row["status"] == "singleton":
            found[row["qid"]] = row["best"]  # the pool has no other passage, and it has the label
    alone = client.get(f"{ROOT}versions/1/?show=singleton").context["lines"]
    found |= {line.row.query.qid: line.best[0] for line in alone if line.row.status == "singleton"}
    changes = client.get(f"{ROOT}versions/1/changes/").context["lines"]
    unjudged = [line.query.qid for line in changes if not line.why]
    if len(unjudged) < len(changes):  # others have judgments, so these have one passage
        found |= {qid: f"top-{qid}" for qid in unjudged}
    # A best answer that is no run's top can only come from the label.
    drawn = client.get(f"{ROOT}queries/map/").context["drawn"]
    for row in drawn.rows if drawn else []:
        for run, cell in zip(drawn.runs, row.cells, strict=True):
            if (cell.rank or 0) > 1:
                found[row.query.qid] = ranked[run.run_tag](row.query.qid)[cell.rank - 1]
    for qid in QIDS:
        page = client.get(f"{ROOT}two-runs/?a=alpha&b=beta&labels=@1&query={qid}").context
        for side in page.get("sides") or []:
            marked = [one.pid for one in side["passages"] if one.relevant and one.pid != f"top-{qid}"]
            found |= dict.fromkeys([qid][: len(marked)], "".join(marked))
    for tag in ranked:
        key = QrelSet.objects.get().collection.runs.get(run_tag=tag).pk
        for line in client.get(f"{ROOT}runs/{key}/").context["page"]:
            if line.values and (line.rank or 0) > 1:
                found[line.query.qid] = ranked[tag](line.query.qid)[line.rank - 1]
    return found


def test_nobody_can_infer_a_label_that_won_or_is_alone_in_its_pool(strait):
    assert guesses(Client()) == {}


def test_the_query_map_says_that_its_values_are_for_members(strait):
    page = Client().get(f"{ROOT}queries/map/").content.decode()

    assert "The labels are withheld, so only members see per-query values." in page
    assert "The map needs runs" not in page


def test_the_same_method_infers_labels_that_are_not_withheld(strait):
    QrelSet.objects.update(withheld=False)

    assert guesses(Client()) == {qid: LABELS[qid] for qid in ALONE + WON}


def test_members_read_values_of_single_queries_under_such_a_version(strait, django_user_model):
    admin = Client()
    admin.force_login(django_user_model.objects.create_superuser("admin"))

    assert guesses(admin).keys() == {*ALONE, *WON}


def test_the_board_of_such_a_version_is_rounded_in_its_true_order(strait):
    told = Client().get(f"{API}/leaderboard").json()

    assert [row["run"] for row in told["rows"]] == ["beta", "alpha"]
    assert [row["preference"] for row in told["rows"]] == [0.8, 0.8]
    assert {row["preference_low"] for row in told["rows"]} == {None}
    assert told["decimals"] == 1
    assert told["singletons"] == 0
    refused = Client().get(f"{API}/leaderboard?measure=P@1")
    assert refused.status_code == 422
    assert "only the standard measures" in refused.json()["detail"]


def test_moves_since_such_a_version_are_shown_only_for_standard_measures(strait, django_user_model):
    """They are ranks under the earlier version, whose own board refuses other measures."""
    make_qrels(strait, "open", [(qid, f"top-{qid}", 1) for qid in QIDS])
    campaign = Campaign.objects.get()
    for pair in Pair.objects.filter(query__qid__in=WON).select_related("passage_a", "passage_b"):
        (top,) = (one for one in (pair.passage_a, pair.passage_b) if one.pid.startswith("top-"))
        for _ in range(2):
            Judgment.objects.create(
                campaign=campaign,
                pair=pair,
                left=pair.passage_a,
                right=pair.passage_b,
                worker=Worker.objects.create(),
                preferred=top,
            )
    publish_qrels(campaign=campaign)
    assert withheld_labels(strait) == {"official", "@1"}
    admin = Client()
    admin.force_login(django_user_model.objects.create_superuser("admin"))

    def moves(client, measure):
        board = client.get(f"{ROOT}leaderboard/?version=2&official=open&since=1&measure={measure}")
        assert board.context["board"].published
        return board.context["board"].moves

    assert moves(Client(), "Success@7") is None
    assert moves(Client(), "Success@10").before == 1
    assert moves(admin, "Success@7").before == 1


def test_no_spelling_of_such_a_version_opens_an_analysis_to_everybody(strait):
    make_qrels(strait, "open", [(qid, f"top-{qid}", 1) for qid in QIDS])
    reading = [(name, "@1") for name, kind in KINDS.items() if kind.reads_labels]

    for kind, labels in [*reading, ("power", "@01"), ("power", "@1:order")]:
        page = Client().get(f"{ROOT}analyses/{kind}/?qrels={labels}&official=open&against=open&version=1")
        assert page.context.get("analysis") is None, (kind, labels)


def test_a_policy_can_show_values_of_single_queries_under_such_a_version(strait):
    set_policy(collection=strait, most_runs=2, period_days=30, required=[], per_query_values=True)

    assert set(WON) <= guesses(Client()).keys()


def test_only_versions_with_an_answer_that_no_run_supplied_reveal_labels(strait):
    assert telling_versions(strait) == {1}
    assert withheld_labels(strait) == {"official", "@1"}

    PooledPassage.objects.filter(run_ids=[]).update(run_ids=[strait.runs.first().pk])

    assert telling_versions(strait) == frozenset()
    assert withheld_labels(strait) == {"official"}


def _asks(collection):
    """Add a later public run whose first passage for one query is the label, which lost."""
    ranked = {qid: [f"top-{qid}"] for qid in QIDS} | {BEATEN[0]: [LABELS[BEATEN[0]]]}
    report = {"queries": len(QIDS), "depth": 1, "lines": len(QIDS)}
    return make_run(collection, "probe", ranked, release="public", report=report)


def test_a_run_does_not_learn_whether_the_labels_brought_its_top_passage_into_the_pool():
    collection = published([])
    probe = _asks(collection)

    page = Client().get(f"{ROOT}runs/{probe.pk}/?q={BEATEN[0]}").context
    board = Client().get(f"{ROOT}leaderboard/")
    told = Client().get(f"{API}/leaderboard").json()

    assert telling_versions(collection) == frozenset()
    assert [line.judged for line in page["page"]] == [None]
    assert page["page"][0].values == [0.0]
    assert "unjudged" not in page["filters"]
    assert {row["judged_tops"] for row in told["rows"]} == {None}
    assert "judged" not in board.context["board"].all_columns
    assert "udged tops" not in board.content.decode()
    assert "judged tops" not in b"".join(Client().get(f"{ROOT}leaderboard.csv")).decode()


def test_a_run_learns_it_where_labels_are_not_withheld():
    probe = _asks(published([]))
    QrelSet.objects.update(withheld=False)

    page = Client().get(f"{ROOT}runs/{probe.pk}/?q={BEATEN[0]}").context
    told = Client().get(f"{API}/leaderboard").json()

    assert [line.judged for line in page["page"]] == [True]
    assert {row["judged_tops"] for row in told["rows"]} == {1.0}
