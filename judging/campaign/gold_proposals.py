"""Propose gold pairs: build candidates from labels and texts, and keep those that look like real pairs."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from django.db.models import Count, QuerySet

from config.background.models import Job
from config.guidance import Action, Guidance, Option
from judging.campaign.gold_coverage import (
    MOST_TASKS,
    LackingTask,
    gold_in,
    lacking_tasks,
    suits,
    tasks_as_shown,
)
from judging.campaign.gold_labels import grades_by_query, labels_for_gold
from judging.campaign.gold_pairs import needed_gold
from judging.campaign.strategy_figures import compared_pairs
from judging.errors import CampaignRefused
from judging.models import Campaign, GoldPair, TaskPair
from judging.rules.familiarity import Shares
from judging.rules.gold_candidates import (
    hardness_reason,
    nearest_passages,
    pair_with_labeled,
    pair_with_unlabeled,
    relevant_by_query,
)
from judging.rules.gold_choice import Real, Texts, Triple, choose_gold, is_hard_triple
from judging.rules.gold_draw import Gold
from judging.rules.pair_features import (
    PassageText,
    content_words,
    nearly_contained,
    question_features,
    read_passage,
    word_weights,
)
from pooling.models import Passage, QrelSet, Query
from pooling.passages import clusters, passages
from pooling.rules.passage_text import class_key
from pooling.runs.runs import tops_of
from pooling.storage import bulk

#: The number of proposals per gold pair needed. Some will be dropped, and tasks need alternatives to draw from.
SPARE = 1.35
#: The maximum numbers of candidates, collection texts, and texts from passage files to examine.
MOST_CANDIDATES, MOST_TEXTS, MOST_READ = 20_000, 50_000, 100_000
TEXTS_AT_ONCE = 2000
#: The maximum number of gold pairs to add for tasks that have too few.
MOST_COVERING = 20
UNJUDGED, OF_OTHERS = "not judged for any question", "judged for other questions only"


def propose_gold(campaign: Campaign, *, qrels: str = "") -> int:
    """Propose gold pairs until there are SPARE times as many as needed, and enough for each task, if possible.

    ``qrels`` names the labels with the known answers (default: the pool's). Returns the number of pairs added.
    """
    labels = labels_for_gold(campaign, qrels)
    standing = campaign.gold_pairs.exclude(state=GoldPair.State.DROPPED).count()
    wanted = math.ceil(needed_gold(campaign) * SPARE) - standing
    search = _ProposalSearch(campaign, labels, max(0, wanted))
    return search.run() if wanted > 0 or search.lacking(()) else 0


class _ProposalSearch:
    """A search for gold pairs to propose, with the data that its steps share."""

    def __init__(self, campaign: Campaign, labels: QrelSet, wanted: int) -> None:
        assert campaign.pool is not None
        self.campaign, self.labels, self.wanted = campaign, labels, wanted
        self.pooled = campaign.pool.pooled_passages
        self.tasks = tasks_as_shown(campaign.tasks.order_by("number")[:MOST_TASKS])
        self.usable = gold_in(campaign, [GoldPair.State.PROPOSED, GoldPair.State.ACCEPTED])
        self.rng = np.random.default_rng([abs(campaign.seed), campaign.gold_pairs.count()])
        self.real = Real([(query, one, other) for query, one, other in compared_pairs(campaign)])
        self.grades = grades_by_query(labels)
        least, self.off_topic_below = self._bounds()
        self.relevant = self._questions_to_ask(relevant_by_query(self.grades, least))
        self.read: dict[int, PassageText] = {}
        self.found_outside: dict[int, str] = {}
        self.class_of: dict[int, str | int] = {}

    def _bounds(self) -> tuple[int, int]:
        """Return the lowest grade of a known answer, and the grade below which a labeled passage is off topic.

        Both are the labels' own threshold. If workers grade passages, the campaign's relevant grade applies too: an
        off-topic passage must be below it. A known answer must reach it or, if that is lower, the labels' highest
        grade.
        """
        least = self.labels.min_grade
        if self.campaign.grading is None:
            return least, least
        top = max((grade for of_query in self.grades.values() for grade in of_query.values()), default=0)
        asked = min(self.campaign.grading.min_grade, top)
        return max(least, asked), min(least, self.campaign.grading.min_grade)

    def run(self) -> int:
        """Choose gold pairs and add them as proposals; return the number added."""
        known = {passage for of_query in self.grades.values() for passage in of_query}
        pooled = set(self.real.uses) | set(self.pooled.values_list("passage_id", flat=True))
        self._read_classes(known | pooled)
        self._fetch_labeled()
        self._read_classes(known | pooled)  # a text that was just fetched has a class
        self._read_texts(known | pooled)
        self.weights = word_weights(one.words for one in self.read.values())
        asked = Query.objects.filter(collection=self.campaign.collection)
        self.questions = {
            pk: question_features(text, self.weights) for pk, text in asked.values_list("pk", "text")
        }
        mine = self._with_texts(self._labeled_pairs())
        near = self._nearest_by_question(self._unjudged_passages(pooled))
        mine += self._with_texts(pair_with_unlabeled(self.relevant, near, UNJUDGED))
        chosen = self._choose(mine, (), exclusive=True)
        chosen = self._cover(mine, chosen, exclusive=True)
        if len(chosen) < self.wanted or self.lacking(chosen):
            elsewhere = self._passages_of_other_questions(known | pooled)
            others = self._with_texts(pair_with_unlabeled(self.relevant, elsewhere, OF_OTHERS))
            chosen += self._choose(others, chosen, exclusive=False)
            chosen = self._cover(others, chosen, exclusive=False)
        return self._add(chosen)

    def lacking(self, chosen: Sequence[Triple]) -> list[LackingTask]:
        """Return the tasks for which the existing gold pairs and the chosen candidates together do not suffice."""
        return lacking_tasks(
            self.campaign, self.tasks, [*self.usable, *(Gold(0, *one.key) for one in chosen)]
        )

    def _cover(self, candidates: list[Triple], chosen: list[Triple], *, exclusive: bool) -> list[Triple]:
        """Prepend candidates to the chosen ones until every task has enough suitable gold pairs, if possible.

        Candidates whose question occurs in the fewest of the tasks that lack gold pairs are used first.
        """
        for _ in range(MOST_COVERING):
            lacking = self.lacking(chosen)
            if not lacking:
                break
            asked = Counter(query for task in lacking for query in {pair.query_id for pair in task.shown})
            fitting = [one for one in candidates if suits(self.campaign, lacking[0], Gold(0, *one.key))]
            fewest = min((asked[one.query_id] for one in fitting), default=0)
            fitting = [one for one in fitting if asked[one.query_id] == fewest]
            more = self._choose(fitting, chosen, exclusive=exclusive, wanted=1)
            if not more:
                break
            chosen = [*more, *chosen]
        return chosen

    def _questions_to_ask(self, relevant: dict[int, list[int]]) -> dict[int, list[int]]:
        """Return the questions that gold pairs can ask, each with its relevant passages.

        These are questions of the pool that at most half of the tasks ask: a gold pair must not repeat a question of
        its task. If they are too few to fill a task, labeled questions outside the pool are added. If none is left,
        all labeled questions are returned. Campaigns that grade single passages can repeat a question.
        """
        pooled = set(self.pooled.values_list("query_id", flat=True))
        often = set() if self.campaign.grades else self._frequent_questions()
        asked = {query: found for query, found in relevant.items() if query in pooled - often}
        if len(asked) < self.campaign.pairs_per_task + self.campaign.gold_per_task:
            asked |= {query: found for query, found in relevant.items() if query not in pooled}
        return asked or relevant

    def _frequent_questions(self) -> set[int]:
        """Return the questions that occur in more than half of the tasks."""
        tasks = self.campaign.tasks.count()
        rows = TaskPair.objects.filter(task__campaign=self.campaign).values("pair__query")
        counted = rows.annotate(tasks=Count("task", distinct=True)).filter(tasks__gt=tasks // 2)
        return set(counted.order_by().values_list("pair__query", flat=True))

    def _read_classes(self, keys: set[int]) -> None:
        """Read each passage's class of near-duplicates. A passage without a class key is a class of its own."""
        rows = bulk.rows_with_keys(Passage.objects.all(), keys, "pk", "class_key")
        self.class_of |= {pk: class_key or pk for pk, class_key in rows}

    def _labeled_pairs(self) -> Iterator[Triple]:
        """Yield candidates with two labeled passages. A near-duplicate of a relevant passage is never off topic."""
        answers = {
            (query, self.class_of[passage])
            for query, of_query in self.grades.items()
            for passage, grade in of_query.items()
            if grade >= self.off_topic_below
        }
        for one in pair_with_labeled(self.grades, self.relevant, self.off_topic_below):
            if (one.query_id, self.class_of[one.off_topic_id]) not in answers:
                yield one

    def _fetch_labeled(self) -> None:
        """Fetch missing texts of labeled candidates from the collection's passage files."""
        collection = self.campaign.collection
        if self.campaign.placeholder_text or not collection.sources.exists():
            return
        keys = {key for one in self._labeled_pairs() for key in (one.relevant_id, one.off_topic_id)}
        lacking = [pid for (pid,) in bulk.rows_with_keys(Passage.objects.filter(text=None), keys, "pid")]
        if lacking:
            passages.fetch(collection=collection, pids=lacking)

    def _read_texts(self, keys: set[int]) -> None:
        """Read the texts of these passages. Raises CampaignRefused if people have to judge and no text is known."""
        rows = bulk.rows_with_keys(Passage.objects.exclude(text=None), keys, "pk", "text")
        self.read |= {pk: read_passage(text) for pk, text in rows}
        if not self.read and not self.campaign.placeholder_text:
            raise CampaignRefused(
                "No passages of this campaign have texts, so no gold pair can be proposed for people.",
                Guidance(
                    Action(
                        "fetch_passages",
                        self.campaign.collection.name,
                        "--passages FILE",
                        lead="Add the passage files",
                    ),
                    ". To rehearse without texts, prepare the campaign with ",
                    Option("placeholder-text"),
                    ".",
                ),
            )

    def _with_texts(self, triples: Iterable[Triple]) -> list[Triple]:
        """Return the candidates that people can judge: both texts exist, and neither nearly contains the other.

        A text and a shortened copy of it answer a question equally well, whatever their labels say. If no texts are
        known (a rehearsal with placeholders), all candidates are returned.
        """
        if not self.read:
            return list(triples)
        return [
            one
            for one in triples
            if (good := self.read.get(one.relevant_id))
            and (bad := self.read.get(one.off_topic_id))
            and good != bad
            and not nearly_contained(good.words, bad.words)
        ]

    def _unjudged_passages(self, pooled: set[int]) -> Iterator[tuple[int, frozenset[str]]]:
        """Yield the key and words of passages that are neither pooled nor labeled.

        Those in the database come first, then those in passage files, which have no key yet and get -1, -2 and so on.
        Near-duplicates of pooled or labeled passages are left out, because they may answer the question, too.
        """
        if not self.read:
            return
        collection = self.campaign.collection
        judged_texts = {self.read[key].words for key in pooled if key in self.read}
        judged = set(self.class_of.values())
        rows = collection.passages.exclude(text=None).order_by("pk").values_list("pk", "class_key", "text")
        for pk, key, text in rows[:MOST_TEXTS].iterator(chunk_size=TEXTS_AT_ONCE):
            words = content_words(text or "")
            if pk not in self.class_of and key not in judged and words not in judged_texts:
                yield pk, words
        known = {pid for (pid,) in bulk.rows_with_keys(Passage.objects.all(), self.class_of, "pid")}
        texts = enumerate(passages.first_texts(collection, MOST_READ), start=1)
        while batch := list(islice(texts, TEXTS_AT_ONCE)):
            keys = clusters.keys_of(collection, (one.id for _, one in batch))
            for number, one in batch:
                words = content_words(one.text)
                key = keys.get(one.id) or class_key(one.text)
                if one.id not in known and key not in judged and words not in judged_texts:
                    self.found_outside[-number] = one.id
                    yield -number, words

    def _nearest_by_question(self, outside: Iterable[tuple[int, frozenset[str]]]) -> dict[int, list[int]]:
        """Map questions to their nearest passages in ``outside``, without those that a run ranks near the top.

        Nearest passages that were found in files are stored with their texts.
        """
        asked = {query: self.questions[query] for query in self.relevant}
        near = nearest_passages(asked, outside, self.rng)
        pids = {self.found_outside[key] for found in near.values() for key in found if key < 0}
        rows = passages.ensure(collection=self.campaign.collection, pids=sorted(pids)) if pids else {}
        keys = {key: rows[pid].pk for key, pid in self.found_outside.items() if pid in rows}
        near = {query: [keys.get(key, key) for key in found] for query, found in near.items()}
        near = self._without_tops(near)
        self._read_texts({key for found in near.values() for key in found} - self.read.keys())
        return near

    def _without_tops(self, near: dict[int, list[int]]) -> dict[int, list[int]]:
        """Leave out passages that any run ranks near the top for the question, because they are likely answers."""
        qid_of = dict(bulk.rows_with_keys(Query.objects.all(), near, "pk", "qid"))
        keys = {key for found in near.values() for key in found}
        pid_of = dict(bulk.rows_with_keys(Passage.objects.all(), keys, "pk", "pid"))
        ranked: dict[str, set[str]] = {qid: set() for qid in qid_of.values()}
        for run in self.campaign.collection.runs.order_by("pk").iterator():
            for qid, pids in tops_of(run, passages.TOPS_READ).items():
                if qid in ranked:
                    ranked[qid].update(pids)
        return {
            query: [key for key in found if pid_of[key] not in ranked[qid_of[query]]]
            for query, found in near.items()
        }

    def _passages_of_other_questions(self, judged: set[int]) -> dict[int, list[int]]:
        """Map questions to a few passages judged for other questions; passages in no real pair come first.

        Near-duplicates of a passage judged for the question itself are left out.
        """
        related: dict[int, set[str | int]] = defaultdict(set)
        for query, of_query in self.grades.items():
            related[query].update(self.class_of[passage] for passage in of_query)
        for query, passage in self.pooled.values_list("query_id", "passage_id"):
            related[query].add(self.class_of[passage])
        there = sorted(key for key in judged if not self.read or key in self.read)
        most = max(20, 2 * math.ceil(self.wanted / max(1, len(self.relevant))))
        found = {}
        for query in self.relevant:
            drawn = [there[index] for index in self.rng.permutation(len(there)).tolist()]
            drawn.sort(key=lambda passage: passage in self.real.uses)
            found[query] = [passage for passage in drawn if self.class_of[passage] not in related[query]][
                :most
            ]
        return found

    def _choose(
        self,
        candidates: list[Triple],
        chosen: Sequence[Triple],
        *,
        exclusive: bool,
        wanted: int | None = None,
    ) -> list[Triple]:
        """Choose candidates that look like real pairs.

        ``wanted`` is the number to choose; None means as many as are still missing.
        """
        taken = set(self.campaign.gold_pairs.values_list("query_id", "relevant_id", "off_topic_id"))
        open_ones = [one for one in candidates if one.key not in taken]
        if len(open_ones) > MOST_CANDIDATES:
            some = self.rng.permutation(len(open_ones))[:MOST_CANDIDATES]
            open_ones = [open_ones[index] for index in np.sort(some).tolist()]
        kept = self.campaign.gold_pairs.exclude(state=GoldPair.State.DROPPED).order_by("pk")
        standing = [Triple(*row) for row in kept.values_list("query_id", "relevant_id", "off_topic_id")]
        standing += chosen
        wanted = self.wanted - len(chosen) if wanted is None else wanted
        return choose_gold(
            open_ones,
            real=self.real,
            texts=self._search_texts(),
            standing=standing,
            wanted=wanted,
            rng=self.rng,
            exclusive=exclusive,
            most_of_a_question=min(self.campaign.max_tasks_per_worker, max(1, self.campaign.tasks.count())),
            shares=self._shares(len(standing) + wanted),
        )

    def _shares(self, gold: int) -> Shares:
        """Return the shares of real pairs and of ``gold`` gold pairs that one worker can see."""
        pairs = self.campaign.max_tasks_per_worker * self.campaign.pairs_per_task
        real = min(1.0, pairs / max(1, len(self.real.pairs)))
        return Shares(real, min(1.0, needed_gold(self.campaign) / gold))

    def _search_texts(self) -> Texts:
        return Texts(self.questions if self.read else {}, self.read, self.weights)

    def _add(self, chosen: list[Triple]) -> int:
        texts = self._search_texts()
        rows = [
            GoldPair(
                campaign=self.campaign,
                query_id=one.query_id,
                relevant_id=one.relevant_id,
                off_topic_id=one.off_topic_id,
                kind=GoldPair.Kind.HARD if is_hard_triple(texts, one) else GoldPair.Kind.EASY,
                why=self._reason(one),
            )
            for one in chosen
        ]
        return len(GoldPair.objects.bulk_create(rows, batch_size=2000))

    def _reason(self, one: Triple) -> str:
        bad = self.read.get(one.off_topic_id)
        return hardness_reason(self.questions[one.query_id].words, bad.words, one.why) if bad else one.why


def propose_gold_key(campaign: Campaign) -> str:
    """Return the job key that lets only one job at a time propose the campaign's gold pairs."""
    return f"judging.propose_gold:{campaign.pk}"


def gold_work(campaign: Campaign) -> QuerySet[Job]:
    """Return the jobs that propose gold pairs for this campaign, latest first."""
    return Job.objects.filter(key=propose_gold_key(campaign)).order_by("-pk")
