"""Decide when a topic of graded judging is finished, as in the TREC 2022 Deep Learning track.

See Craswell et al., *Overview of the TREC 2022 Deep Learning track*. An assessor judges the first passages of a
topic's pool (the *opening*), then the rest of the pool, then batches that continuous active learning proposes. The
rules for ending the topic apply after each of these stages, and when the budget ends. *Density* is the share of
relevant passages among those judged.

The paper leaves some cases open. Here, if the pool is smaller than the opening, the rules for the opening use the
density in the pool. The rules also apply right after the pool. A topic with nothing left to judge is treated as if
the budget had ended.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from config.guidance import Guidance, Option
from judging.errors import BadInput

#: The maximum number of passages that a rule can name. No person could judge more passages of a topic.
MOST_PASSAGES = 100_000


STAGES = ("first of the pool", "rest of the pool")
#: Maps the name of a rule to its label on pages.
LABELS = {
    "opening": "Passages of the pool judged first",
    "discard_share": "Discard a topic if this share of the passages judged first is relevant",
    "batch": "Passages per iteration of active learning",
    "accept_judged": "Accept with at least this many judged",
    "accept_relevant": "Accept with at least this many relevant",
    "accept_density": "Accept with a density below",
    "reject_judged": "Reject with more judged than",
    "reject_density": "Reject with a density above",
}


class Verdict(StrEnum):
    """The final decision on a topic."""

    DISCARDED = "discarded"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True)
class LifeRules:
    """The parameters of the rules for ending a topic, with the paper's values as defaults."""

    opening: int = 100
    """Passages of the pool that are judged before the first decision."""
    discard_share: float = 0.5
    """A topic with at least this share of relevant passages in its opening is discarded."""
    batch: int = 25
    """The number of passages in an iteration of active learning."""
    accept_judged: int = 150
    """The minimum number of judged passages of an accepted topic."""
    accept_relevant: int = 4
    """The minimum number of relevant passages of an accepted topic."""
    accept_density: float = 0.40
    """The density below which a topic can be accepted."""
    reject_judged: int = 300
    """The number of judged passages beyond which a topic can be rejected."""
    reject_density: float = 0.50
    """The density beyond which such a topic is rejected."""


@dataclass(frozen=True)
class Tally:
    """The number of a topic's judged passages, and the number of relevant ones among them."""

    judged: int
    relevant: int

    @property
    def density(self) -> float:
        """The share of relevant passages among those judged; 0 without a judgment.

        Rules compare this quotient with a share. Comparing numbers of passages would be unsafe: as floats, 0.55
        * 100 is above 55.
        """
        return self.relevant / self.judged if self.judged else 0.0


@dataclass(frozen=True)
class Decision:
    """The final decision on a topic, and the reason in words."""

    verdict: Verdict
    reason: str


def check_rules(given: Mapping[str, float]) -> LifeRules:
    """Return the rules with the given values in place of the paper's. Raises BadInput for invalid values."""
    known = {field.name: field.default for field in fields(LifeRules)}
    for name, value in given.items():
        if name not in known:
            raise BadInput(f"Unknown rule: {name!r}.", f"Choose from {', '.join(known)}.")
        if isinstance(known[name], float):
            if not 0 < value <= 1:
                raise BadInput(
                    Guidance(_option(name), f" is a share and cannot be {value:g}."),
                    "Enter a number above 0, up to 1.",
                )
        elif not 1 <= value <= MOST_PASSAGES or value != int(value):
            raise BadInput(
                Guidance(_option(name), f" is a number of passages and cannot be {value:g}."),
                f"Enter a whole number from 1 to {MOST_PASSAGES:,}.",
            )
    rules = rules_with(given)
    _refuse_contradictions(rules)
    return rules


def rules_with(given: Mapping[str, float]) -> LifeRules:
    """Return the rules with these values, which :func:`check_rules` has already checked."""
    shares = {field.name for field in fields(LifeRules) if isinstance(field.default, float)}
    return LifeRules(**{name: value if name in shares else int(value) for name, value in given.items()})  # type: ignore[arg-type]


def _refuse_contradictions(rules: LifeRules) -> None:
    """Raise BadInput if a threshold for rejection (density or judged passages) is below that for acceptance."""
    for lower, higher in (("accept_density", "reject_density"), ("accept_judged", "reject_judged")):
        least, most = getattr(rules, lower), getattr(rules, higher)
        if least > most:
            raise BadInput(
                Guidance(
                    _option(lower), f" is {least:g}, more than ", _option(higher), f", which is {most:g}."
                ),
                Guidance("Lower ", _option(lower), " or raise ", _option(higher), "."),
            )


def _option(rule: str) -> Option:
    return Option("rule", rule, LABELS[rule])


def after_opening(tally: Tally, rules: LifeRules) -> Decision | None:
    """Return the decision after the opening, or None to go on.

    A topic is discarded if none of its passages is relevant, or too many are.
    """
    if not tally.relevant:
        return Decision(Verdict.DISCARDED, f"None of the first {tally.judged} passages is relevant.")
    if tally.density >= rules.discard_share:
        return Decision(
            Verdict.DISCARDED, f"{tally.relevant} of the first {tally.judged} passages are relevant."
        )
    return None


def after_batch(tally: Tally, rules: LifeRules) -> Decision | None:
    """Return the decision after the rest of the pool or an iteration: accept, reject, or None to go on."""
    if not _unmet_conditions(tally, rules):
        return Decision(Verdict.ACCEPTED, _tally_words(tally))
    if tally.judged > rules.reject_judged and tally.density > rules.reject_density:
        return Decision(Verdict.REJECTED, f"{_tally_words(tally)} Too many are relevant.")
    return None


def at_end(tally: Tally, rules: LifeRules) -> Decision:
    """Return the decision when the budget ends or nothing is left to judge: accept, or reject with the reasons."""
    lacking = _unmet_conditions(tally, rules)
    if lacking:
        return Decision(Verdict.REJECTED, f"{_tally_words(tally)} {' '.join(lacking)}")
    return Decision(Verdict.ACCEPTED, _tally_words(tally))


def _unmet_conditions(tally: Tally, rules: LifeRules) -> list[str]:
    """Return a sentence for each condition of acceptance that a topic does not meet."""
    found = []
    if tally.judged < rules.accept_judged:
        found.append(f"Fewer than {rules.accept_judged} are judged.")
    if tally.relevant < rules.accept_relevant:
        few = f"Fewer than {rules.accept_relevant} are relevant."
        found.append("None is relevant." if rules.accept_relevant == 1 else few)
    if tally.density >= rules.accept_density:
        found.append(f"The density is not below {rules.accept_density:.2f}.")
    return found


def _tally_words(tally: Tally) -> str:
    density = f"{tally.density:.4f}" if tally.judged else "–"
    return f"{tally.judged} judged, {tally.relevant} relevant, density {density}."


def stage_words(batch: int) -> str:
    """Return the name of the stage with this number: 0 is the opening, 1 the rest of the pool, 2 the first iteration.

    In the name, iterations of active learning are numbered from 1.
    """
    return STAGES[batch] if batch < len(STAGES) else f"iteration {batch - 1}"


def pool_order(ranks: Iterable[tuple[str, int]], key_of: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return a topic's passages to judge as (pid, rank), in order of the smallest rank in any run, then by pid.

    ``ranks`` are the (pid, rank from 1) of all pooled runs. ``key_of`` maps pids to the pid of their canonical
    passage, which gets the smallest rank of its class of near-duplicates.
    """
    best: dict[str, int] = {}
    for pid, rank in ranks:
        first = key_of.get(pid, pid)
        best[first] = min(rank, best.get(first, rank))
    return sorted(best.items(), key=lambda one: (one[1], one[0]))


def next_of_pool(
    order: Sequence[Sequence[int]], given: int, rules: LifeRules
) -> list[tuple[int, int | None]]:
    """Return the key and rank of the next passages of the pool to judge.

    These are the opening if ``given`` is 0, otherwise the rest. ``given`` is the number of passages already handed
    out for judging. ``order`` has the key and rank of each passage, in judging order.
    """
    return [(key, rank) for key, rank in (order[given:] if given else order[: rules.opening])]
