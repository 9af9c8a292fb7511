"""Gold pairs proposed for the sample and for real texts: no classifier recognizes and no strategy passes them."""

import importlib.util
import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from judging.campaign.gold_proposals import SPARE
from judging.rules.familiarity import most_tasks
from judging.rules.gold_candidates import pair_with_labeled, relevant_by_query
from judging.rules.gold_choice import Real, Texts, Triple, choose_gold, is_hard_triple
from judging.rules.gold_detection import TOLD, cross_validated, try_to_tell
from judging.rules.gold_draw import Shown
from judging.rules.packing import task_count
from judging.rules.pair_features import PLACEMENT, SURFACE, question_features, read_passage, word_weights
from judging.rules.strategies import Known, Setting, by_looks, try_strategies
from tests.judging.classifier import remembered
from tests.test_sample import SAMPLE, read_qrels, read_run, read_tsv, run_paths

PER_TASK, GOLD_PER_TASK = 10, 3


@dataclass(frozen=True)
class World:
    """A campaign's real pairs, the tasks that one worker can do, the proposed gold pairs, and all texts."""

    real: Real
    most: int
    gold: list[Triple]
    texts: Texts
    questions: dict[int, str]
    passages: dict[int, str]
    labeled: list[Known]


def world(
    queries: dict[str, str],
    passages: dict[str, str],
    grades: dict[str, dict[str, int]],
    pools: dict[str, list[str]],
) -> World:
    """Pool, pair and propose as a campaign does with these labels, of which 2 and more are relevant."""
    key = {qid: number for number, qid in enumerate(queries, start=1)}
    pk = {pid: number for number, pid in enumerate(passages, start=1)}
    read = {pk[pid]: read_passage(text) for pid, text in passages.items()}
    weights = word_weights(one.words for one in read.values())
    texts = Texts({key[qid]: question_features(text, weights) for qid, text in queries.items()}, read)
    classes = {
        qid: sorted({" ".join(passages[pid].split()): pk[pid] for pid in pool}.values())
        for qid, pool in pools.items()
    }
    real = Real([(key[qid], *pair) for qid, pool in classes.items() for pair in combinations(pool, 2)])
    known = {
        key[qid]: {pk[pid]: grade for pid, grade in of_query.items()}
        for qid, of_query in grades.items()
        if len(classes.get(qid, [])) > 1
    }
    candidates = [*pair_with_labeled(known, relevant_by_query(known, 2), 2)]
    most = most_tasks(len(real.pairs), PER_TASK)
    gold = choose_gold(
        candidates,
        real=real,
        texts=texts,
        standing=(),
        wanted=math.ceil(most * GOLD_PER_TASK * SPARE),
        rng=np.random.default_rng(1),
    )
    return World(
        real,
        most,
        gold,
        texts,
        {key[qid]: text for qid, text in queries.items()},
        {pk[pid]: text for pid, text in passages.items()},
        [
            Known(query, *sorted(pair, key=lambda one: -known[query][one]))
            for query, *pair in real.pairs
            if len({known.get(query, {}).get(one, -1) for one in pair} - {-1}) == 2
        ],
    )


Parts = tuple[dict[str, str], dict[str, str], dict[str, dict[str, int]], dict[str, list[str]]]


@cache
def the_sample() -> Parts:
    """Return questions, passages, grades and pools of the sample."""
    queries, passages = read_tsv("queries.tsv"), read_tsv("passages.tsv")
    labels = read_qrels("qrels.txt")
    runs = [read_run(path) for path in run_paths("runs")]
    pools = {qid: sorted({run[qid][0] for run in runs if run.get(qid)} | set(labels[qid])) for qid in queries}
    return queries, passages, read_qrels("grades.txt"), pools


@cache
def msmarco(folder: Path) -> Parts:
    """Return the same for real texts; without runs, the pools are the tops of six of the sample's rankers."""
    rows = {
        name: dict(line.split("\t", 1) for line in (folder / name).read_text("utf-8").split("\n") if line)
        for name in ("queries.tsv", "passages.tsv")
    }
    queries, passages = rows["queries.tsv"], rows["passages.tsv"]
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.txt").read_text().splitlines():
        qid, _, pid, grade = line.split()
        grades[qid][pid] = int(grade)
    spec = importlib.util.spec_from_file_location("rankers", SAMPLE / "rankers.py")
    assert spec is not None
    assert spec.loader is not None
    rankers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rankers)
    stems = rankers.Index(passages.values(), rankers.stems)
    words = rankers.Index(passages.values(), rankers.words)
    lead = rankers.Index(passages.values(), rankers.lead_stems)
    ranked = [
        (rankers.bm25(), stems), (rankers.tfidf_cosine, stems), (rankers.lm_dirichlet(), stems),
        (rankers.bm25(k1=1.6, b=0.9), words), (rankers.bm25(), lead), (rankers.lm_dirichlet(), words),
    ]  # fmt: skip
    pids = list(passages)
    pools = {
        qid: sorted({pids[int(np.argmax(rank(index, text)))] for rank, index in ranked})
        for qid, text in queries.items()
    }
    return queries, passages, grades, pools


@pytest.fixture(params=["sample", "msmarco-texts"])
def parts(request) -> Parts:
    if request.param == "sample":
        return the_sample()
    folder: Path = request.getfixturevalue("shared_data") / "msmarco-texts"
    return msmarco(folder)


@pytest.fixture
def proposed(parts) -> World:
    return world(*parts)


def some_questions(parts: Parts, seed: int) -> World:
    """Return a campaign over two thirds of the questions, drawn at random."""
    queries, passages, grades, pools = parts
    drawn = np.random.default_rng(seed).permutation(list(queries))[: 2 * len(queries) // 3].tolist()
    return world({qid: queries[qid] for qid in drawn}, passages, grades, {qid: pools[qid] for qid in drawn})


def test_the_contents_of_a_page_do_not_reveal_gold(proposed):
    found = try_to_tell(proposed.real.pairs, proposed.gold, proposed.texts)

    assert found is not None
    assert found.auc < TOLD


def told_by_memory(campaign: World, *, done: int, seeds: int) -> list[float]:
    tries = [
        remembered(campaign.real, campaign.gold, np.random.default_rng(seed), done=done, workers=40)
        for seed in range(seeds)
    ]
    return [cross_validated(*one) for one in tries]


def test_a_workers_memory_does_not_reveal_gold(proposed):
    found = told_by_memory(proposed, done=proposed.most, seeds=5)

    assert max(found) < TOLD


def test_neither_reveals_gold_in_campaigns_over_other_questions(parts):
    campaigns = [some_questions(parts, seed) for seed in range(5)]

    by_memory = [sum(told_by_memory(some, done=some.most, seeds=2)) / 2 for some in campaigns]
    by_page = [found.auc for one in campaigns if (found := try_to_tell(one.real.pairs, one.gold, one.texts))]

    assert sum(by_memory) / len(by_memory) < TOLD
    assert len(by_page) == 5
    assert sum(by_page) / len(by_page) < TOLD


def test_most_gold_is_hard_and_no_passage_stands_under_two_questions(proposed):
    under: dict[int, set[int]] = defaultdict(set)
    for one in proposed.gold:
        for passage in (one.relevant_id, one.off_topic_id):
            under[passage].add(one.query_id)

    assert len(proposed.gold) == math.ceil(proposed.most * GOLD_PER_TASK * SPARE)
    assert all(len(queries) == 1 for queries in under.values())
    assert sum(is_hard_triple(proposed.texts, one) for one in proposed.gold) >= len(proposed.gold) / 2
    assert max(Counter(one.query_id for one in proposed.gold).values()) <= proposed.most


def tried(campaign: World) -> Setting:
    asked = [Shown(*pair) for pair in campaign.real.pairs]
    tasks = task_count(len(asked), PER_TASK)
    return Setting(
        gold=[Known(*one.key) for one in campaign.gold],
        labeled=campaign.labeled,
        tasks=[asked[start::tasks] for start in range(tasks)],
        questions=campaign.questions,
        passages=campaign.passages,
        gold_per_task=GOLD_PER_TASK,
        most_tasks=campaign.most,
    )


def test_no_strategy_that_does_not_read_passes_tasks(proposed):
    outcomes = try_strategies(tried(proposed))

    assert outcomes.over_the_bar() == []
    assert outcomes.fewest == outcomes.wanted == proposed.most
    assert all(0.4 <= row.right <= 0.6 for row in outcomes.rows)


def test_how_a_text_looks_answers_about_half_of_the_gold(proposed):
    """The actual limit applies to the larger campaigns of ``benchmarks/gold.py``; these have 29 and 17 gold pairs."""
    rows = by_looks(tried(proposed), (1,))

    assert len(rows) == 2 * (len(SURFACE) + len(PLACEMENT))
    assert all(0.36 <= row.right <= 0.64 for row in rows)
