"""Test how often strategies that do not read pass a campaign's gold pairs, using its pairs, texts and labels."""

import math
from collections import defaultdict
from hashlib import sha256

from config import kept_objects
from config.guidance import Action, Guidance
from judging.campaign.gold_labels import grade_that_leaves_off_topic
from judging.campaign.shared_figures import kept_while_reading
from judging.models import Campaign, GoldPair, Pair, Task, TaskPair
from judging.rules.gold_detection import Detectability
from judging.rules.gold_draw import Shown
from judging.rules.strategies import Known, Outcomes, Setting, page_detectability, try_strategies
from pooling.models import Passage, Qrel, QrelSet, Query
from pooling.storage import bulk

#: The maximum number of tasks examined, sampled evenly; more would hardly change the result.
SAMPLE = 100
#: How long to cache results for the same gold pairs, tasks, texts and labels, in seconds.
KEEP_SECONDS = 86400


@kept_while_reading
def outcomes_of(campaign: Campaign) -> Outcomes:
    """Try every strategy on the accepted gold pairs. For a rehearsal, return the results of the original campaign.

    The results are cached as long as the gold pairs, tasks, texts and labels stay the same.
    """
    of = campaign.rehearsal_of or campaign
    setting, seed = setting_of(of), abs(of.seed)
    key = kept_objects.object_key("strategies", sha256(repr(setting).encode()).hexdigest(), seed)
    known: Outcomes | None = kept_objects.kept(key)
    if known is None:
        known = try_strategies(setting, seed=seed)
        kept_objects.keep_object(key, known, KEEP_SECONDS)
    return known


def proposals_warning(campaign: Campaign) -> str:
    """Return advice if a classifier recognizes gold pairs, accepted or proposed, from what a page shows; else ""."""
    return recognizable_gold_warning(campaign, page_detectability(setting_of(campaign, proposed=True)))


def recognizable_gold_warning(campaign: Campaign, page: Detectability | None) -> str:
    """Return advice if gold pairs are clearly recognizable from what a page shows; else ""."""
    if page is None or not page.is_plain:
        return ""
    return Guidance(
        f"a classifier tells {campaign.gold_words}s from real pairs by what a page shows (AUC {page.auc:.2f}, 0.50 "
        "is guessing), and a bot could learn to do so. ",
        _labels_advice(campaign),
        Action("accept_gold", campaign.name, "--drop --all --accepted", lead="Drop these pairs"),
        " and propose others from graded labels (",
        Action("propose_gold", campaign.name, "--qrels SET", lead=""),
        "). Or ",
        Action("import_gold", campaign.name, "FILE", lead=f"import your own {campaign.gold_words}s"),
    )


def _labels_advice(campaign: Campaign) -> str:
    """Return why gold pairs from the pool's labels are recognizable."""
    labels = campaign.pool and campaign.pool.qrel_set
    if labels and (higher := grade_that_leaves_off_topic(labels)):
        return Guidance(
            f"The labels {labels.name!r} count every grade as relevant, so no passage labeled for a question can be "
            f"the off-topic one. Import them again with {higher} as the lowest relevant grade (",
            Action(
                "import_qrels", campaign.collection.name, f"FILE --set NAME --min-grade {higher}", lead=""
            ),
            "). ",
        )
    return (
        "This happens where labels are sparse and nothing off-topic looks like the passages that are judged. "
    )


def setting_of(campaign: Campaign, labels: QrelSet | None = None, *, proposed: bool = False) -> Setting:
    """Return the data on which strategies are tried: all accepted gold pairs, and a sample of the tasks.

    ``labels`` say which passage of a real pair is better (default: the pool's). ``proposed`` adds gold pairs that
    nobody has accepted yet.
    """
    states = [GoldPair.State.ACCEPTED, *([GoldPair.State.PROPOSED] if proposed else [])]
    tried = campaign.gold_pairs.filter(state__in=states).order_by("pk")
    gold = [Known(*row) for row in tried.values_list("query_id", "relevant_id", "off_topic_id")]
    tasks = _sampled_tasks(campaign)
    pairs = compared_pairs(campaign) if campaign.grades else []
    if labels is None and campaign.pool is not None:
        labels = campaign.pool.qrel_set
    asked = pairs or [pair for task in tasks for pair in task]
    queries = {pair.query for pair in gold} | {pair.query_id for pair in asked}
    shown = {key for pair in gold for key in (pair.better, pair.worse)}
    shown |= {key for pair in asked for key in (pair.one_id, pair.other_id)}
    return Setting(
        gold=gold,
        labeled=_labeled_pairs(labels, asked),
        tasks=tasks,
        questions=dict(bulk.rows_with_keys(Query.objects.all(), queries, "pk", "text")),
        passages={
            pk: text or "" for pk, text in bulk.rows_with_keys(Passage.objects.all(), shown, "pk", "text")
        },
        gold_per_task=campaign.gold_per_task,
        most_tasks=campaign.max_tasks_per_worker,
        compared=pairs,
    )


def compared_pairs(campaign: Campaign) -> list[Shown]:
    """Return the campaign's real pairs or, if it grades single passages, pairs of passages of the same question.

    Gold pairs are compared with these. An off-topic passage is recognized in the same way alone or next to another.
    """
    rows = campaign.pairs.order_by("pk").values_list("query_id", "passage_a_id", "passage_b_id")
    if not campaign.grades:
        return [Shown(*row) for row in rows]
    of_query: dict[int, list[int]] = defaultdict(list)
    for query, passage, _ in rows:
        of_query[query].append(passage)
    return [
        Shown(query, *sorted(two))
        for query, found in of_query.items()
        for two in zip(found[::2], found[1::2], strict=False)
    ]


def _sampled_tasks(campaign: Campaign) -> list[list[Shown]]:
    keys = list(Task.objects.filter(campaign=campaign).order_by("number").values_list("pk", flat=True))
    keys = keys[:: max(1, math.ceil(len(keys) / SAMPLE))]
    rows = list(TaskPair.objects.filter(task__in=keys).order_by("pk").values_list("task_id", "pair_id"))
    asked = {pair for _, pair in rows}  # one statement for both tables would read all pairs of the campaign
    columns = ("pk", "query_id", "passage_a_id", "passage_b_id")
    shown = {key: Shown(*pair) for key, *pair in bulk.rows_with_keys(Pair.objects.all(), asked, *columns)}
    tasks: dict[int, list[Shown]] = {key: [] for key in keys}
    for task, pair in rows:
        tasks[task].append(shown[pair])
    return [pairs for pairs in tasks.values() if pairs]


def _labeled_pairs(labels: QrelSet | None, asked: list[Shown]) -> list[Known]:
    """Return the pairs in ``asked`` whose passages have different labels. The one with the higher label is better."""
    if labels is None:
        return []
    grades: dict[tuple[int, int], int] = {}
    for part in bulk.parts({pair.query_id for pair in asked}):
        rows = Qrel.objects.filter(qrel_set=labels, query__in=part)
        for query, passage, grade in rows.values_list("query_id", "passage_id", "grade"):
            grades[query, passage] = grade
    known = []
    for pair in dict.fromkeys(asked):
        one, other = grades.get((pair.query_id, pair.one_id)), grades.get((pair.query_id, pair.other_id))
        if one is not None and other is not None and one != other:
            better, worse = (pair.one_id, pair.other_id) if one > other else (pair.other_id, pair.one_id)
            known.append(Known(pair.query_id, better, worse))
    return known
