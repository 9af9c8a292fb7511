import pytest

from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.duplicate_classes import import_clusters
from judging.campaign.gold_coverage import gold_in, lacking_tasks, tasks_as_shown
from judging.campaign.gold_pairs import decide_gold, import_gold, import_gold_content, needed_gold
from judging.campaign.gold_proposals import propose_gold
from judging.errors import BadJudgmentFile, CampaignRefused
from judging.grading.crowd_grading import create_crowd_campaign
from judging.grading.graded_campaigns import create_graded_campaign
from judging.models import GoldPair
from pooling.models import Passage, PooledPassage, Qrel, Query
from pooling.passages.passages import add_sources
from tests.factories import make_qrels, make_run

TOPICS = {
    "egg": "how long to boil an egg",
    "moon": "distance from earth to the moon",
    "tax": "file income tax late",
}
TEXTS = {
    "egg": ["Boil a large egg nine minutes", "Eggs boil faster with salt"],
    "moon": ["The moon is 384,400 km from earth", "Earth and moon drift apart in distance"],
    "tax": ["File the income tax form by April", "A late tax costs a fee"],
}


@pytest.fixture
def labeled(fair):
    """Three queries with a relevant and a pooled passage each, all with texts."""
    Query.objects.all().delete()
    for position, (qid, text) in enumerate(TOPICS.items()):
        query = Query.objects.create(collection=fair.collection, qid=qid, text=text, position=position)
        for number, words in enumerate(TEXTS[qid]):
            passage = fair.passage(f"{qid}-{number}", text=words)
            PooledPassage.objects.create(pool=fair.pool, query=query, passage=passage)
    labels = [(qid, f"{qid}-0", 3 if qid == "moon" else 1) for qid in TOPICS]
    fair.pool.qrel_set = make_qrels(fair.collection, "official", labels)
    fair.pool.save()
    return fair


def small(fair, **settings):
    values = {"gold_per_task": 1, "max_tasks_per_worker": 3} | settings
    return create_campaign(name="small", settings=CampaignSettings(**values), pool=fair.pool)


def test_a_third_more_than_needed_is_proposed_and_asking_again_adds_nothing(labeled):
    campaign = small(labeled)

    assert needed_gold(campaign) == 3
    assert propose_gold(campaign) == 5
    assert propose_gold(campaign) == 0
    assert set(GoldPair.objects.values_list("state", flat=True)) == {GoldPair.State.PROPOSED}


def test_relevant_comes_from_the_labels_best_grade_first_and_off_topic_from_another_query(labeled):
    propose_gold(small(labeled))

    rows = list(GoldPair.objects.order_by("pk").values_list("query__qid", "relevant__pid", "off_topic__pid"))
    assert rows[0][0] == "moon"
    for qid, relevant, off_topic in rows:
        assert relevant == f"{qid}-0"
        assert not off_topic.startswith(qid)


def test_texts_of_labeled_passages_that_no_pool_has_are_fetched(labeled, tmp_path):
    source = tmp_path / "passages.tsv"
    source.write_text("egg-9\tAn egg takes a hen a day to lay and a boil to ruin\n")
    add_sources(collection=labeled.collection, paths=[source])
    labels = [("egg", "egg-0", 3), ("egg", "egg-9", 0)]
    graded = make_qrels(labeled.collection, "graded", labels)

    propose_gold(small(labeled), qrels=graded.name)

    assert GoldPair.objects.filter(relevant__pid="egg-0", off_topic__pid="egg-9").exists()


def test_questions_of_the_pool_come_first_or_a_question_asked_nowhere_else_gives_test_pairs_away(labeled):
    PooledPassage.objects.filter(query__qid="moon").delete()  # which has the best grade

    propose_gold(small(labeled, pairs_per_task=1))

    assert set(GoldPair.objects.values_list("query__qid", flat=True)) == {"egg", "tax"}


def test_questions_outside_the_pool_serve_where_every_task_asks_those_of_the_pool(labeled):
    PooledPassage.objects.filter(query__qid="moon").delete()

    propose_gold(small(labeled, max_tasks_per_worker=1))  # one task, which asks both

    assert set(GoldPair.objects.values_list("query__qid", flat=True)) == {"moon"}


def test_dropped_proposals_are_not_proposed_again(labeled):
    campaign = small(labeled)
    propose_gold(campaign)
    dropped = set(GoldPair.objects.values_list("query", "relevant", "off_topic"))
    decide_gold(campaign, None, accept=False)

    propose_gold(campaign)

    fresh = GoldPair.objects.filter(state=GoldPair.State.PROPOSED)
    assert fresh.exists()
    assert not dropped & set(fresh.values_list("query", "relevant", "off_topic"))


def test_person_accepts_some_and_drops_others(labeled):
    campaign = small(labeled)
    propose_gold(campaign)
    first, second = GoldPair.objects.order_by("pk")[:2]

    assert decide_gold(campaign, [first.pk], accept=True, who="ada") == 1
    assert decide_gold(campaign, [second.pk], accept=False, who="ada") == 1
    assert decide_gold(campaign, None, accept=True, who="ada") == 3

    first.refresh_from_db()
    assert (first.state, first.decided_by) == ("accepted", "ada")
    assert GoldPair.objects.filter(state="accepted").count() == 4
    with pytest.raises(CampaignRefused, match="no gold pair 999"):
        decide_gold(campaign, [999], accept=True)


def test_without_texts_nothing_is_proposed_for_people(labeled):
    Passage.objects.update(text=None)

    with pytest.raises(CampaignRefused, match="No passages of this campaign have texts"):
        propose_gold(small(labeled))


def test_in_a_rehearsal_without_texts_any_passage_never_judged_for_the_query_serves(labeled):
    Passage.objects.update(text=None)
    campaign = small(labeled, placeholder_text=True, max_tasks_per_worker=10)

    propose_gold(campaign)

    known = set(Qrel.objects.values_list("query", "passage")) | set(
        PooledPassage.objects.values_list("query", "passage")
    )
    assert campaign.gold_pairs.count() == 12
    assert not known & set(campaign.gold_pairs.values_list("query", "off_topic"))


def test_pool_without_labels_has_no_gold_to_propose(fair):
    campaign = create_campaign(name="bare", settings=CampaignSettings(), pool=fair.pool)

    with pytest.raises(CampaignRefused, match="no qrels"):
        propose_gold(campaign)


def test_a_file_may_say_the_kind_and_a_proposal_keeps_its_own(labeled):
    campaign = small(labeled)
    propose_gold(campaign)
    known = (
        GoldPair.objects.select_related("query", "relevant", "off_topic")
        .exclude(kind="")
        .order_by("pk")
        .first()
    )
    lines = f"{known.query.qid} {known.relevant.pid} {known.off_topic.pid}\ntax tax-0 new-one hard\n"

    import_gold_content(campaign, lines.encode(), name="mine")

    assert GoldPair.objects.get(off_topic__pid="new-one").kind == "hard"
    assert GoldPair.objects.get(pk=known.pk).kind == known.kind
    assert GoldPair.objects.get(pk=known.pk).state == GoldPair.State.ACCEPTED


def test_proposals_come_from_graded_labels_of_another_set_and_say_why(labeled):
    make_qrels(labeled.collection, "graded", [("egg", "egg-0", 3), ("egg", "egg-low", 0)], min_grade=2)
    labeled.passages(["egg-low"])
    Passage.objects.filter(pid="egg-low").update(text="No egg is ready to boil before a hen lays it")
    campaign = small(labeled, max_tasks_per_worker=1)

    propose_gold(campaign, qrels="graded")

    gold = GoldPair.objects.select_related("off_topic").order_by("pk").first()
    assert (gold.off_topic.pid, gold.kind) == ("egg-low", "hard")
    assert gold.why == "shares 2 of 3 question words; labeled 0 for this question (the relevant one: 3)"
    with pytest.raises(CampaignRefused, match="no qrel set called 'none'"):
        propose_gold(campaign, qrels="none")


def test_off_topic_passages_that_nobody_judges_come_before_those_of_other_questions(labeled):
    labeled.passages(["far-1", "far-2"])
    Passage.objects.filter(pid="far-1").update(text="Distance runners eat an egg")
    campaign = small(labeled, max_tasks_per_worker=1)

    propose_gold(campaign)

    first = GoldPair.objects.select_related("off_topic").order_by("pk").first()
    assert first.off_topic.pid in {"far-1", "far-2"}
    assert "not judged for any question" in first.why


def test_passages_that_a_run_ranks_near_the_top_for_a_question_are_never_off_topic_for_it(labeled):
    labeled.passages(["top-egg", "far"])
    Passage.objects.filter(pid="top-egg").update(text="Distance runners eat an egg")
    Passage.objects.filter(pid="far").update(text="Runners on the moon cook an egg")
    make_run(labeled.collection, "tops", {"egg": ["top-egg"]})

    propose_gold(small(labeled, max_tasks_per_worker=10))

    assert "far" in off_topic_pids("egg")
    assert "top-egg" not in off_topic_pids("egg")


def cluster(labeled, tmp_path, *classes):
    path = tmp_path / "clusters.txt"
    path.write_text("".join(f"{members[0]} {pid}\n" for members in classes for pid in members))
    import_clusters(labeled.collection, path)


def off_topic_pids(qid):
    return set(GoldPair.objects.filter(query__qid=qid).values_list("off_topic__pid", flat=True))


def test_near_duplicates_of_judged_passages_are_never_off_topic(labeled, tmp_path):
    labeled.passages(["near-egg", "near-moon", "far"])
    Passage.objects.filter(pid="near-egg").update(text="Nine minutes will boil any hen's egg")
    Passage.objects.filter(pid="near-moon").update(text="Distance to an egg")
    Passage.objects.filter(pid="far").update(text="Distance runners eat an egg")
    source = tmp_path / "passages.tsv"
    source.write_text("filed-egg\tA hen's egg: nine minutes\nfiled-far\tRunners boil an egg on the moon\n")
    add_sources(collection=labeled.collection, paths=[source])
    cluster(labeled, tmp_path, ("egg-0", "near-egg", "filed-egg"), ("moon-1", "near-moon"))

    propose_gold(small(labeled, max_tasks_per_worker=10))

    found = off_topic_pids("egg") | off_topic_pids("moon") | off_topic_pids("tax")
    assert not found & {"near-egg", "near-moon", "filed-egg"}
    assert {"far", "filed-far"} <= found


def test_passages_of_other_questions_that_repeat_a_judged_passage_are_not_off_topic(labeled, tmp_path):
    cluster(labeled, tmp_path, ("egg-1", "tax-1"))

    propose_gold(small(labeled, max_tasks_per_worker=10))

    assert {"moon-0", "moon-1", "tax-0"} <= off_topic_pids("egg")
    assert "tax-1" not in off_topic_pids("egg")
    assert "tax-1" in off_topic_pids("moon")


def test_passages_labeled_not_relevant_that_repeat_a_relevant_one_are_not_off_topic(labeled, tmp_path):
    labeled.passages(["egg-low", "egg-again"])
    Passage.objects.filter(pid="egg-low").update(text="No egg is ready to boil before a hen lays it")
    Passage.objects.filter(pid="egg-again").update(text="Hard eggs need time in hot water")
    labels = [("egg", "egg-0", 3), ("egg", "egg-low", 0), ("egg", "egg-again", 0)]
    make_qrels(labeled.collection, "graded", labels)
    cluster(labeled, tmp_path, ("egg-0", "egg-again"))

    propose_gold(small(labeled, max_tasks_per_worker=10), qrels="graded")

    assert "egg-low" in off_topic_pids("egg")
    assert "egg-again" not in off_topic_pids("egg")


def test_gold_from_a_file_is_accepted(labeled, tmp_path):
    campaign = small(labeled)
    file = tmp_path / "gold.tsv"
    file.write_text("egg\tegg-0\tmoon-1\n\ntax tax-0 new-passage\n")

    assert import_gold(campaign, file) == 2

    assert set(GoldPair.objects.values_list("state", flat=True)) == {GoldPair.State.ACCEPTED}
    assert Passage.objects.get(pid="new-passage").text is None


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("egg egg-0\n", 1, "expected 3 or 4 columns"),
        ("egg egg-0 moon-0\nsun a b\n", 2, "no query 'sun'"),
        ("egg egg-0 egg-0\n", 1, "are the same"),
        ("egg egg-0 moon-0 hardest\n", 1, "unknown kind 'hardest'. Write easy or hard"),
        ("egg egg-0 moon-0\nmoon egg-0 moon-0\n", 2, "'moon-0' is labeled relevant .grade 3., and 'egg-0'"),
    ],
)
def test_wrong_line_of_a_gold_file_is_named_and_nothing_kept(labeled, tmp_path, text, line, reason):
    campaign = small(labeled)
    file = tmp_path / "gold.tsv"
    file.write_text(text)

    with pytest.raises(BadJudgmentFile, match=reason) as caught:
        import_gold(campaign, file)

    assert (caught.value.file, caught.value.line) == ("gold.tsv", line)
    assert not GoldPair.objects.exists()


def test_a_known_answer_for_graders_has_the_grade_that_they_have_to_give(labeled):
    grading = create_graded_campaign(pool=labeled.pool, name="graded")  # relevant from 2; the labels from 1
    settings = CampaignSettings(gold_per_task=1, max_tasks_per_worker=3)
    propose_gold(create_crowd_campaign(grading, name="crowd", settings=settings))

    assert set(GoldPair.objects.values_list("relevant__pid", flat=True)) == {"moon-0"}


def test_tasks_that_no_gold_pair_fits_get_proposals_although_there_are_enough(labeled):
    campaign = small(labeled, pairs_per_task=1, max_tasks_per_worker=2)
    (task,) = [one for one in tasks_as_shown(campaign.tasks) if one[0].query_id == query_key("egg")]
    one, two = Passage.objects.filter(pid__startswith="moon").order_by("pk")
    GoldPair.objects.bulk_create(
        GoldPair(
            campaign=campaign,
            query_id=query_key("egg"),
            relevant=Passage.objects.get(pid="egg-0"),
            off_topic=other,
            state=GoldPair.State.ACCEPTED,
        )
        for other in (one, two, Passage.objects.get(pid="tax-0"))
    )
    assert lacking_tasks(campaign, [task], gold_in(campaign, [GoldPair.State.ACCEPTED]))

    added = propose_gold(campaign)

    proposed = campaign.gold_pairs.filter(state=GoldPair.State.PROPOSED)
    assert added == proposed.count() == 1
    assert proposed.exclude(query__qid="egg").exists()
    assert not lacking_tasks(
        campaign, tasks_as_shown(campaign.tasks), gold_in(campaign, GoldPair.State.values)
    )
    assert propose_gold(campaign) == 0


def query_key(qid: str) -> int:
    return Query.objects.get(qid=qid).pk
