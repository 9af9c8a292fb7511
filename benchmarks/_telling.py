"""How well gold pairs can be told from real ones: a logistic regression over all that a worker sees and remembers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from judging.pair_features import features, read_passage, read_question, word_weights
from judging.strategies import Setting, tasks_of_one

Floats = NDArray[np.float64]
FOLDS, STEPS, RATE, RIDGE = 5, 400, 0.5, 0.01
WORKERS = 60


def auc_by_task(setting: Setting, tasks: Sequence[int], *, seed: int = 0) -> dict[str, float]:
    """The AUC by the page's features over all pairs, and with a worker's memory in the tasks with these numbers."""
    page = _page_features(setting)
    gold = [tuple(pair) for pair in setting.gold]
    real = sorted({tuple(pair) for task in setting.tasks for pair in task})
    rows = np.array([page[one] for one in (*gold, *real)])
    labels = np.array([1.0] * len(gold) + [0.0] * len(real))
    questions = np.array([one[0] for one in (*gold, *real)])
    found = {"page": auc(rows, labels, questions, seed=seed)}
    most = min(setting.most_tasks, len(setting.gold) // max(1, setting.gold_per_task), len(setting.tasks))
    wanted = sorted({min(count, most) for count in tasks if most})
    for number, (rows, labels, workers) in _histories(setting, page, wanted, seed).items():
        found[f"page and memory, task {number}"] = auc(rows, labels, workers, seed=seed)
    return found


def auc(rows: Floats, labels: Floats, groups: NDArray[np.int64], *, seed: int) -> float:
    """The area under the ROC curve, cross-validated; rows of a group stay in one fold. Ties count one half."""
    names = np.random.default_rng(seed).permutation(np.unique(groups))
    fold_of = {name: place % FOLDS for place, name in enumerate(names.tolist())}
    folds = np.array([fold_of[name] for name in groups.tolist()])
    scores = np.zeros(len(rows))
    for fold in range(FOLDS):
        test = folds == fold
        if test.any() and 0 < labels[~test].sum() < (~test).sum():
            scores[test] = _fit_and_score(rows[~test], labels[~test], rows[test])
    positive, negative = scores[labels == 1], scores[labels == 0]
    wins = (positive[:, None] > negative[None, :]).mean() + 0.5 * (
        positive[:, None] == negative[None, :]
    ).mean()
    return float(wins)


def _fit_and_score(rows: Floats, labels: Floats, test: Floats) -> Floats:
    """The log-odds of the test rows by a ridge logistic regression with classes of equal weight."""
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    known = np.column_stack([np.ones(len(rows)), (rows - middle) / spread])
    weight = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    beta = np.zeros(known.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(known @ beta, -30, 30)))
        slope = known.T @ (weight * (labels - chance)) / len(rows)
        beta += RATE * (slope - RIDGE * np.concatenate([[0.0], beta[1:]]))
    scores: Floats = np.column_stack([np.ones(len(test)), (test - middle) / spread]) @ beta
    return scores


def _page_features(setting: Setting) -> dict[tuple[int, ...], tuple[float, ...]]:
    """Pair → the figures of what its page shows, and their squares."""
    passages = {key: read_passage(text) for key, text in setting.passages.items()}
    weights = word_weights(one.words for one in passages.values())
    questions = {key: read_question(text, weights) for key, text in setting.questions.items()}
    shown = {tuple(pair) for pair in setting.gold}
    shown |= {tuple(pair) for task in setting.tasks for pair in task}
    found = {}
    for query, one, other in shown:
        plain = features(questions[query], passages[one], passages[other])
        found[query, one, other] = (*plain, *(value * value for value in plain))
    return found


def _histories(
    setting: Setting,
    page: dict[tuple[int, ...], tuple[float, ...]],
    wanted: Sequence[int],
    seed: int,
) -> dict[int, tuple[Floats, Floats, NDArray[np.int64]]]:
    """Number of a task → rows, labels and workers of what simulated workers meet in it."""
    rng = np.random.default_rng(seed)
    kept: dict[int, tuple[list[tuple[float, ...]], list[float], list[int]]] = {
        number: ([], [], []) for number in wanted
    }
    for worker in range(WORKERS if wanted else 0):
        for given in tasks_of_one(setting, max(wanted), rng):
            if given.number not in kept:
                continue
            gold = [one.shown for one in given.gold]
            asked = Counter(query for query, *_ in (*gold, *given.real))
            rows, labels, workers = kept[given.number]
            for pair in (*gold, *given.real):
                elsewhere = float(given.memory.elsewhere(pair))
                memory = (*given.memory.familiar(pair), elsewhere, float(asked[pair.query_id] > 1))
                rows.append((*page[tuple(pair)], *memory))
                labels.append(float(pair in gold))
                workers.append(worker)
    return {
        number: (np.array(rows), np.array(labels), np.array(workers))
        for number, (rows, labels, workers) in kept.items()
        if sum(labels)
    }
