"""Compare screening rules on simulated crowds: correct best answers per dollar, honest workers kept, bad judgments.

A campaign has pools of six passages, with ten pairs and three gold pairs per task, for $2.40 including fees. Ten
people work at a time. A worker who is excluded, reaches the task limit, or wants no more tasks is replaced by
somebody new from the same crowd. Half of the people want only one task; a share of 1/k wants at least k tasks. A
share of the crowd is bad, in equal parts

- coin-flippers and left-clickers, who get half of the gold pairs and half of the other pairs right;
- overlap bots, which choose the side with more of the question's words: these get 37% of the other pairs right, and
  either 93% of the gold pairs (measured on easy gold) or 58%. With 58%, a bot passes a task of three gold pairs one
  time in five, the most that gold should allow.

Honest workers err on 10% of pairs. ``judging.rules.screening.screen_answers`` screens with the default slip rate,
whatever the crowd's rate. Best answers come from ``tournament.copeland.best_of_queries``. A best answer is right if
it is the truly best passage and the only best answer. Seeds are fixed; ± is half the width of a 95% interval over the
repetitions.

It prints the tables of docs/methods-screening.md; ``--repetitions`` sets the number of repetitions. Limit: in every
crowd, the recommended rule is best or its interval overlaps that of the best. ``--check`` exits 1 if it is missed.
"""

import statistics
import sys
from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, product

import numpy as np
from _harness import options_parser, print_missed

from judging.rules.expectations import tasks_a_worker
from judging.rules.screening import RULES, screen_answers
from judging.rules.screening_choice import COIN, Setting, compare_rules
from tournament.copeland import best_of_queries
from tournament.pair_wins import tally, wins_of_pairs

POOL, PAIRS_PER_TASK, GOLD, DOLLARS, MOST_TASKS = 6, 10, 3, 2.40, 20
HONEST_RIGHT, AT_WORK = 0.9, 10
#: For each kind of bad worker, the shares of gold pairs and of other pairs that it answers right.
Kinds = tuple[tuple[float, float], ...]
#: The kinds of bad workers, by the difficulty of the gold pairs.
BAD: dict[str, Kinds] = {
    "hard gold": ((0.5, 0.5), (0.5, 0.5), (0.58, 0.37)),
    "easy gold": ((0.5, 0.5), (0.5, 0.5), (0.93, 0.37)),
}
SLIPS, SHARES = (0.005, 0.01, 0.05), (0.1, 0.2, 0.3, 0.4)
#: Queries in a short and a long campaign: 30 and 420 tasks.
SIZES = {"short": 20, "long": 280}
#: A campaign is abandoned once the number of submissions reaches this multiple of its tasks.
HOPELESS = 30


@dataclass
class Person:
    """One worker: the rates of right answers on gold and other pairs, and the work done."""

    gold_right: float
    right: float
    honest: bool
    wants: int
    passed: list[bool] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    done: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """The result of one simulated campaign.

    ``right`` is the number of correct best answers, ``cost`` is in dollars. ``honest_kept`` is the share of honest
    workers who were not excluded, and ``bad_judgments`` the share of tasks judged by bad workers.
    """

    right: float
    cost: float
    honest_kept: float
    bad_judgments: float

    @property
    def per_hundred(self) -> float:
        """The number of correct best answers per $100."""
        return 100 * self.right / self.cost


def newcomer(slip: float, share: float, kinds: Kinds, rng: np.random.Generator) -> Person:
    """Draw a worker from the crowd. A share of 1/k of all people want to do at least k tasks."""
    wants = int(1 / (1 - rng.random()))
    if rng.random() >= share:
        return Person(1 - slip, HONEST_RIGHT, True, wants)
    gold_right, right = kinds[rng.integers(len(kinds))]
    return Person(gold_right, right, False, wants)


def campaign(
    queries: int, rule: str, slip: float, share: float, kinds: Kinds, rng: np.random.Generator
) -> Outcome:
    """Have a crowd judge every pair once under a rule, and find the best answers."""
    pairs = queries * POOL * (POOL - 1) // 2
    tasks = -(-pairs // PAIRS_PER_TASK)
    most = tasks_a_worker(MOST_TASKS, tasks)
    packed = np.array_split(rng.permutation(pairs), tasks)
    right, judge = np.zeros(pairs, dtype=bool), np.full(tasks, -1)
    waiting, people, excluded = (
        deque(range(tasks)),
        [newcomer(slip, share, kinds, rng) for _ in range(AT_WORK)],
        set(),
    )
    at_work, submitted = list(range(AT_WORK)), 0
    while waiting and submitted < HOPELESS * tasks:
        turn = int(rng.integers(AT_WORK))
        key = at_work[turn]
        person = people[key]
        task = next((one for one in waiting if one not in person.seen), None)
        if task is not None:
            waiting.remove(task)
            submitted += 1
            person.seen.add(task)
            answers = (rng.random(GOLD) < person.gold_right).tolist()
            person.passed += answers
            right[packed[task]] = rng.random(len(packed[task])) < person.right
            if screen_answers(person.passed, rule).excluded:
                excluded.add(key)
                waiting.extend([task, *person.done])
                judge[person.done] = -1
            elif all(answers):
                person.done.append(task)
                judge[task] = key
            else:
                waiting.append(task)
        if task is None or key in excluded or len(person.seen) >= min(most, person.wants):
            at_work[turn] = len(people)
            people.append(newcomer(slip, share, kinds, rng))
    worked = [(key, one) for key, one in enumerate(people) if one.seen]
    honest = [key for key, one in worked if one.honest]
    bad = sum(judge[task] >= 0 and not people[judge[task]].honest for task in range(tasks))
    return Outcome(
        right=best_answers_found(queries, right) if not waiting else 0.0,
        cost=submitted * DOLLARS,
        honest_kept=1 - len(excluded.intersection(honest)) / max(1, len(honest)),
        bad_judgments=bad / tasks,
    )


def best_answers_found(queries: int, right: np.ndarray) -> float:
    """Return the number of queries whose only best answer is the truly best passage (the first of its pool)."""
    low, high = np.array(list(combinations(range(POOL), 2)), dtype=np.int64).T
    starts = np.arange(queries, dtype=np.int64) * POOL
    better, worse = (starts[:, None] + low).ravel(), (starts[:, None] + high).ravel()
    wins = wins_of_pairs(tally(better, worse, np.where(right, better, worse)), largest=POOL)
    best = best_of_queries(starts, queries * POOL, wins).best.reshape(queries, POOL)
    return float((best[:, 0] & (best.sum(axis=1) == 1)).sum())


@dataclass(frozen=True)
class Cell:
    """The mean result of many campaigns under one rule.

    ``mean`` is the number of correct best answers per $100, and ``half`` half the width of its 95% interval. ``cost``
    is a multiple of the cost of judging every task once.
    """

    rule: str
    mean: float
    half: float
    cost: float
    honest_kept: float
    bad_judgments: float

    def words(self, *, best: bool, recommended: bool) -> str:
        """Return the text of the table cell in Markdown."""
        mark = "**" if best else ""
        figures = f"{mark}{self.mean:.1f}{mark} ± {self.half:.1f}{' (r)' if recommended else ''}"
        return f"{figures}; {self.honest_kept:.0%} kept, {self.bad_judgments:.1%} bad, {self.cost:.2f} passes"


def tasks_of(queries: int) -> int:
    return -(-queries * POOL * (POOL - 1) // 2 // PAIRS_PER_TASK)


def cell(queries: int, rule: str, slip: float, share: float, kinds: Kinds, repetitions: int) -> Cell:
    """Simulate a campaign ``repetitions`` times, with the same seeds for every rule, and return the means."""
    seeds = ([queries, round(slip * 1000), round(share * 100), number] for number in range(repetitions))
    runs = [campaign(queries, rule, slip, share, kinds, np.random.default_rng(seed)) for seed in seeds]
    values = [run.per_hundred for run in runs]
    return Cell(
        rule=rule,
        mean=statistics.fmean(values),
        half=1.96 * statistics.stdev(values) / len(values) ** 0.5,
        cost=statistics.fmean(run.cost for run in runs) / (tasks_of(queries) * DOLLARS),
        honest_kept=statistics.fmean(run.honest_kept for run in runs),
        bad_judgments=statistics.fmean(run.bad_judgments for run in runs),
    )


def recommended(queries: int, slip: float, kinds: Kinds) -> str:
    """Return the rule that the product recommends for this campaign.

    The recommendation uses the slip rate from a pilot, and the share of gold pairs that an overlap bot answers right.
    It does not use the number or the kinds of bad workers.
    """
    tasks = tasks_of(queries)
    setting = Setting(
        gold_per_task=GOLD,
        tasks_per_worker=tasks_a_worker(MOST_TASKS, tasks),
        one_pass=Decimal(str(round(tasks * DOLLARS, 2))),
        pools={POOL: queries},
        slip_rate=slip,
        careless=((COIN, COIN), kinds[-1]),
    )
    return next(row.rule for row in compare_rules(setting) if row.recommended)


def print_table(queries: int, kinds: Kinds, repetitions: int) -> int:
    """Print one row per crowd; return in how many crowds the recommended rule was clearly worse than the best."""
    agree, lost = 0, []
    print(f"| Slips | Bad workers | {' | '.join(RULES)} |\n|---|---|{'---|' * len(RULES)}")
    for slip, share in product(SLIPS, SHARES):
        cells = [cell(queries, rule, slip, share, kinds, repetitions) for rule in RULES]
        best, advice = max(cells, key=lambda one: one.mean), recommended(queries, slip, kinds)
        advised = next(one for one in cells if one.rule == advice)
        agree += advised.mean + advised.half >= best.mean - best.half
        lost.append(1 - advised.mean / best.mean)
        words = (one.words(best=one is best, recommended=one.rule == advice) for one in cells)
        print(f"| {slip:.1%} | {share:.0%} | {' | '.join(words)} |")
    crowds = len(SLIPS) * len(SHARES)
    print(
        f"\nThe recommended rule is best, or its interval overlaps that of the best, in {agree} of {crowds} crowds. "
        f"Following it loses at most {max(lost):.1%}."
    )
    return crowds - agree


def main() -> int:
    parser = options_parser(__doc__, figures=False)
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--size", choices=list(SIZES), help="only this campaign")
    asked = parser.parse_args()
    worse = 0
    for size, gold in product([asked.size] if asked.size else SIZES, BAD):
        tasks = tasks_of(SIZES[size])
        print(f"\n### {tasks} tasks, up to {tasks_a_worker(MOST_TASKS, tasks)} a worker, {gold}\n")
        worse += print_table(SIZES[size], BAD[gold], asked.repetitions)
    print_missed([f"the recommended rule is clearly worse than the best in {worse} crowds"] if worse else [])
    return 1 if asked.check and worse else 0


if __name__ == "__main__":
    sys.exit(main())
