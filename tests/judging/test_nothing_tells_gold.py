"""Gold pairs proposed for the sample and for real texts: no classifier and no strategy tells them or passes them."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from judging.gold import Real, Texts, Triple, choose, hard
from judging.gold_candidates import known_relevant, labeled
from judging.gold_drawing import Shown
from judging.pair_features import read_passage, read_question, word_weights
from judging.services.gold_checks import MOST_OF_A_CAMPAIGN
from judging.strategies import Known, Setting, try_strategies
from tests.judging.classifier import cross_validated, remembered, seen_on_a_page
from tests.test_sample import SAMPLE, read_qrels, read_run, read_tsv, run_paths

#: Three a task for twenty tasks, and a third more.
PROPOSED = 81
#: Above this a classifier would tell gold.
BAR = 0.60


@dataclass(frozen=True)
class World:
    """A campaign's real pairs, the gold proposed for it, and all texts."""

    real: Real
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
    texts = Texts({key[qid]: read_question(text, weights) for qid, text in queries.items()}, read)
    classes = {
        qid: sorted({" ".join(passages[pid].split()): pk[pid] for pid in pool}.values())
        for qid, pool in pools.items()
    }
    real = Real([(key[qid], *pair) for qid, pool in classes.items() for pair in combinations(pool, 2)])
    known = {
        key[qid]: {pk[pid]: grade for pid, grade in of_query.items()}
        for qid, of_query in grades.items()
        if len(classes[qid]) > 1
    }
    candidates = [*labeled(known, known_relevant(known, 2), 2)]
    gold = choose(
        candidates, real=real, texts=texts, standing=(), wanted=PROPOSED, rng=np.random.default_rng(1)
    )
    return World(
        real,
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


@cache
def the_sample() -> World:
    queries, passages = read_tsv("queries.tsv"), read_tsv("passages.tsv")
    labels = read_qrels("qrels.txt")
    runs = [read_run(path) for path in run_paths("runs")]
    pools = {qid: sorted({run[qid][0] for run in runs if run.get(qid)} | set(labels[qid])) for qid in queries}
    return world(queries, passages, read_qrels("grades.txt"), pools)


@cache
def msmarco(folder: Path) -> World:
    """The tops of six of the sample's rankers, for there are no runs."""
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
    return world(queries, passages, grades, pools)


@pytest.fixture(params=["sample", "msmarco-texts"])
def proposed(request) -> World:
    if request.param == "sample":
        return the_sample()
    folder: Path = request.getfixturevalue("shared_data") / "msmarco-texts"
    return msmarco(folder)


def test_what_a_page_shows_does_not_tell_gold(proposed):
    table, is_gold = seen_on_a_page(proposed.real, proposed.gold, proposed.texts)
    found = [
        cross_validated(table, is_gold, np.random.default_rng(seed).permutation(len(table)))
        for seed in range(5)
    ]

    assert sum(found) / len(found) < BAR


@pytest.mark.parametrize("share", [0.25, MOST_OF_A_CAMPAIGN])
def test_what_a_worker_remembers_does_not_tell_gold(proposed, share):
    done = int(share * len(proposed.real.pairs) / 10)

    found = [
        remembered(proposed.real, proposed.gold, np.random.default_rng(seed), done=done, workers=40)
        for seed in range(1, 4)
    ]

    assert sum(cross_validated(*one) for one in found) / len(found) < BAR


def test_most_gold_is_hard_and_no_passage_stands_under_two_questions(proposed):
    under: dict[int, set[int]] = defaultdict(set)
    for one in proposed.gold:
        for passage in (one.relevant_id, one.off_topic_id):
            under[passage].add(one.query_id)

    assert len(proposed.gold) == PROPOSED
    assert all(len(queries) == 1 for queries in under.values())
    assert sum(hard(proposed.texts, one) for one in proposed.gold) >= PROPOSED / 2
    assert max(map(len, _by(proposed.gold, lambda one: one.query_id))) <= PROPOSED / 6


def _by(gold: list[Triple], key: Callable[[Triple], int]) -> list[list[Triple]]:
    groups: dict[int, list[Triple]] = defaultdict(list)
    for one in gold:
        groups[key(one)].append(one)
    return list(groups.values())


def test_no_strategy_that_does_not_read_passes_tasks(proposed):
    asked = [Shown(*pair) for pair in proposed.real.pairs]
    outcomes = try_strategies(
        Setting(
            gold=[Known(one.query_id, one.relevant_id, one.off_topic_id) for one in proposed.gold],
            labeled=proposed.labeled,
            tasks=[asked[start::22] for start in range(22)],
            questions=proposed.questions,
            passages=proposed.passages,
            gold_per_task=3,
            most_tasks=20,
        ),
        workers=20,
    )

    assert outcomes.over_the_bar() == []
    assert all(
        0.4 <= row.right <= 0.6 for row in outcomes.rows if row.name in {"overlap", "longer", "shorter"}
    )
