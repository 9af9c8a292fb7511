"""Compare the screening rules for a campaign, and recommend one.

The crowd is modeled as a mix of careless and honest workers. A share β is careless and judges without reading. Honest
workers slip on some gold pairs and err on some other pairs. By default, careless workers answer half of the gold
pairs and half of the other pairs right, like somebody who flips a coin. Excluded workers are replaced by new ones
from the same mix.

The numbers N of submitted tasks and C of counted tasks come from :mod:`judging.rules.expectations`. The index h
stands for honest workers. The index c stands for the mean over the kinds of careless workers. Honest judgments are
wrong with probability e_h, and careless workers' counted judgments are right with probability r. Then

    cost            = one pass · ((1 − β) N_h + β N_c) / ((1 − β) C_h + β C_c)
    bad judgments   = β C_c / ((1 − β) C_h + β C_c)      among counted judgments
    error           e = (1 − bad) · e_h + bad · (1 − r)

A best answer counts as correct if the truly best passage beats every rival in its pool of m passages. For independent
judgments, the probability of this is (1 − e)^(m−1). A tournament can be correct without that, so the numbers are a
lower bound. ``benchmarks/screening.py`` compares the order of the rules with their order in real tournaments.

Rules are level if their correct best answers per dollar are within 3% of the maximum. Of these, the rule that keeps
the most honest workers is recommended or, in a tie, the one that leaves the fewest bad judgments.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from math import comb

from judging.rules.expectations import Expectation, expect
from judging.rules.screening import RULES, SLIP_RATE

#: The default share of workers who judge without reading, and the probability that an honest judgment is wrong.
CARELESS_SHARE, HONEST_ERROR = 0.2, 0.1
#: The probability of answering a pair right without reading.
COIN = 0.5
#: A rule is level with the best rule if it finds at least this share of that rule's correct best answers per dollar.
LEVEL = 0.97


@dataclass(frozen=True)
class Setting:
    """The inputs of the comparison.

    ``one_pass`` is the cost without repeats in dollars. ``pools`` maps the size of a pool to the number of queries
    with such a pool. ``allowed`` is the slip rate that the rule ``rate`` allows.
    """

    gold_per_task: int
    tasks_per_worker: int
    one_pass: Decimal
    pools: Mapping[int, int]
    slip_rate: float = SLIP_RATE
    allowed: float = SLIP_RATE
    judgments_per_pair: int = 1
    careless_share: float = CARELESS_SHARE
    #: For each kind of careless worker, the shares of gold pairs and of other pairs answered right. Kinds are equally
    #: frequent.
    careless: tuple[tuple[float, float], ...] = ((COIN, COIN),)


@dataclass(frozen=True)
class Consequence:
    """The consequences of one screening rule. If almost no task would count, ``cost`` is None and ``right`` is 0.

    ``honest_kept`` and ``careless_caught`` are shares of workers, and ``bad_judgments`` is a share of counted
    judgments. ``right`` is the number of correct best answers. ``level`` says whether no other rule finds clearly
    more of them per dollar.
    """

    rule: str
    honest_kept: float
    careless_caught: float
    bad_judgments: float
    cost: Decimal | None
    right: float
    right_per_dollar: float
    level: bool = False
    recommended: bool = False

    @property
    def per_hundred(self) -> float:
        """The number of correct best answers per $100."""
        return 100 * self.right_per_dollar


def compare_rules(setting: Setting) -> list[Consequence]:
    """Return the consequences of each rule, in the order of ``RULES``, with one rule marked as recommended."""
    rows = [_consequence(rule, setting) for rule in RULES]
    least = LEVEL * max(row.right_per_dollar for row in rows)
    level = [row for row in rows if row.right_per_dollar >= least]
    best = max(level, key=lambda row: (round(row.honest_kept, 3), -row.bad_judgments))
    return [replace(row, level=row in level, recommended=row is best) for row in rows]


def expectation_for(passes: float, rule: str, setting: Setting) -> Expectation:
    """Return the forecast under a rule for workers who pass each gold pair with probability ``passes``."""
    return expect(
        slip_rate=1 - passes,
        gold_per_task=setting.gold_per_task,
        tasks_per_worker=setting.tasks_per_worker,
        rule=rule,
        allowed=setting.allowed,
    )


def _consequence(rule: str, setting: Setting) -> Consequence:
    honest = expectation_for(1 - setting.slip_rate, rule, setting)
    kinds = [expectation_for(passes, rule, setting) for passes, _ in setting.careless]
    share, each = setting.careless_share, setting.careless_share / len(kinds)
    submitted = (1 - share) * honest.submitted + each * sum(kind.submitted for kind in kinds)
    counts = [each * kind.counted for kind in kinds]
    counted = (1 - share) * honest.counted + sum(counts)
    bad = sum(counts) / counted if counted else 0.0
    wrong = [count * (1 - right) for count, (_, right) in zip(counts, setting.careless, strict=True)]
    error = (1 - bad) * HONEST_ERROR + (sum(wrong) / counted if counted else 0.0)
    cost = Expectation(setting.tasks_per_worker, 0.0, submitted, counted).cost(setting.one_pass)
    right = 0.0 if cost is None else right_answers(setting, error)
    return Consequence(
        rule=rule,
        honest_kept=1 - honest.excluded_share,
        careless_caught=sum(kind.excluded_share for kind in kinds) / len(kinds),
        bad_judgments=bad,
        cost=cost,
        right=right,
        right_per_dollar=right / float(cost) if cost else 0.0,
    )


def right_answers(setting: Setting, error: float) -> float:
    """Return a lower bound for the number of correct best answers; ``error`` is the share of wrong judgments."""
    right = 1 - _error_chance(setting.judgments_per_pair, error)
    return sum(queries * right ** (size - 1) for size, queries in setting.pools.items())


def _error_chance(judgments: int, error: float) -> float:
    """Return the probability that the worse passage wins a pair of ``judgments`` judgments; a tie counts half."""
    chances = [comb(judgments, k) * error**k * (1 - error) ** (judgments - k) for k in range(judgments + 1)]
    return sum(
        c * (1.0 if 2 * k > judgments else 0.5 if 2 * k == judgments else 0.0) for k, c in enumerate(chances)
    )
