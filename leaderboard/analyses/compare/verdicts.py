"""What can be claimed about a later run against an earlier one, in a sentence to quote.

This is the outcome framework of Lin et al. (SIGIR 2021) [SI], with this project's corrections for multiple tests.
Tests that grant a verdict use α/m. Tests for harm, which withhold one, use α, so a correction never hides a harm.

- *better*: more queries won in case 2, and in case 3 the better mean (smaller ESL, or higher RR if the deciding test
  is on RR). Descriptive: nothing is tested.
- *strictly better*: case 2 and case 3 are both significant in its favor.
- *do no harm*: significantly more queries answered and not significantly worse in case 3, or significantly better in
  case 3 and not significantly more unanswered.
- *answers more*: significantly more queries answered, but none answered by both, so harm cannot be tested.

A t-test is undefined for one nonzero difference, and for differences with the same nonzero value. Such differences
are not significant, but they all point the same way. If they favor a run, they count as no harm. If they are
against it, they count as harm, and no verdict that needs a test of harm is granted.

m is twice the number of comparisons, because two tests can grant a verdict: that of case 2, and the deciding test of
case 3. For *strictly better*, which needs both, dividing α by the number of comparisons would be enough. With the
same m, every strictly better run also does no harm.
"""

import math
from dataclasses import dataclass
from enum import Enum

from leaderboard.analyses.compare.outcome_cases import Case3, Outcomes
from leaderboard.analyses.compare.significance import Finding, bonferroni
from leaderboard.output import Interval

ALPHA = 0.05
GRANTING_TESTS = 2
SHARE_ANSWERED = "share answered"


class Deciding(Enum):
    """The test that decides case 3: its measure (search lengths or RR) and its kind (paired t or signed-rank)."""

    ESL_T = "esl-t"
    ESL_SIGNED_RANK = "esl-signed-rank"
    RR_T = "rr-t"
    RR_SIGNED_RANK = "rr-signed-rank"

    @property
    def on_esl(self) -> bool:
        """Whether the test compares search lengths, not reciprocal ranks."""
        return self in (Deciding.ESL_T, Deciding.ESL_SIGNED_RANK)

    @property
    def is_t(self) -> bool:
        """Whether it is the paired t-test, not the signed-rank test."""
        return self in (Deciding.ESL_T, Deciding.RR_T)

    @property
    def words(self) -> str:
        """The test's name, for use in a sentence."""
        return (
            f"{'paired t-test' if self.is_t else 'signed-rank test'} on "
            f"{'search lengths' if self.on_esl else 'reciprocal ranks'}"
        )


class Claim(Enum):
    """The strongest claim about two runs that the data support."""

    STRICTLY_BETTER = "strictly better"
    DO_NO_HARM = "do no harm"
    ANSWERS_MORE = "answers more"
    BETTER = "better"
    NONE = "none"

    @property
    def tested(self) -> bool:
        """Whether a significant test supports the claim."""
        return self not in (Claim.BETTER, Claim.NONE)

    @property
    def words(self) -> str:
        """The claim as a label in a figure or table. The label of *better* adds that it is not significant."""
        return "better, not significantly" if self is Claim.BETTER else self.value


@dataclass(frozen=True)
class Rules:
    """Rules that decide claims: α, the number of comparisons, and the test that decides case 3."""

    comparisons: int = 1
    alpha: float = ALPHA
    deciding: Deciding = Deciding.ESL_T

    @property
    def m(self) -> int:
        """The number of tests that can grant a verdict, over all comparisons."""
        return self.comparisons * GRANTING_TESTS

    @property
    def benefit_alpha(self) -> float:
        """The level at which a benefit is significant."""
        return self.alpha / self.m


@dataclass(frozen=True)
class Verdict:
    """The claim that the data support about two runs; ``favors`` is 1 for B, -1 for A, 0 for neither."""

    claim: Claim
    favors: int
    better: bool
    strictly_better: bool
    do_no_harm: bool
    case2_corrected: float
    case3_corrected: float
    harm: Interval
    """How much worse the favored run (B if there is none) could be, in the measure ``harm_in``."""
    harm_in: str
    """The measure of ``harm``: ``ESL`` or ``RR`` (where both runs answer), or SHARE_ANSWERED."""
    disagreement: str
    """How the tests of case 3 disagree, in words; empty if they agree."""


def verdict_of(outcomes: Outcomes, rules: Rules) -> Verdict:
    """Return the verdict on A and B.

    At most one run has a claim that a test supports. It takes precedence over *better*, which is untested.
    """
    case3, deciding, other = _deciding_tests(outcomes, rules)
    claims = {side: _claims(outcomes, rules, side) for side in (1, -1)}
    tested = [side for side in claims if any(claims[side][1:])]
    favors = next(iter([*tested, *(side for side in claims if claims[side][0])]), 0)
    better, strictly, harmless, untested = claims[favors or 1]
    harm, harm_in = _possible_harm(outcomes, case3, rules, favors or 1)
    return Verdict(
        claim=_strongest_claim(better, strictly, harmless, untested),
        favors=favors,
        better=better,
        strictly_better=strictly,
        do_no_harm=harmless,
        case2_corrected=bonferroni(outcomes.case2.p, rules.m),
        case3_corrected=bonferroni(deciding.p, rules.m),
        harm=harm,
        harm_in=harm_in,
        disagreement=_disagreement_of_tests(deciding, other, rules),
    )


def _claims(outcomes: Outcomes, rules: Rules, side: int) -> tuple[bool, bool, bool, bool]:
    """Return which claims the data support for one run (``side``: 1 for B, -1 for A).

    The order is: better, strictly better, do no harm, answers more (harm cannot be tested).
    """
    case3, deciding, _ = _deciding_tests(outcomes, rules)
    won = (outcomes.b_wins - outcomes.a_wins) * side
    ahead = ((case3.a - case3.b) if rules.deciding.on_esl else (case3.b - case3.a)) * side
    answers_more = _is_significant_for(outcomes.case2, rules.benefit_alpha, side)
    finds_earlier = _is_significant_for(deciding, rules.benefit_alpha, side)
    answers_fewer = _is_significant_for(outcomes.case2, rules.alpha, -side)
    finds_later = _is_significant_for(deciding, rules.alpha, -side)
    # If the test is undefined, "not significantly worse" means nothing, so the direction of the differences counts.
    undefined = math.isnan(deciding.p)
    untested = undefined and deciding.favors == 0
    no_harm = deciding.favors == side if undefined else not finds_later
    harmless = (answers_more and no_harm) or (finds_earlier and not answers_fewer)
    return won > 0 and ahead > 0, answers_more and finds_earlier, harmless, answers_more and untested


def _is_significant_for(test: Finding, alpha: float, side: int) -> bool:
    return test.significant(alpha) and test.favors == side


def _strongest_claim(better: bool, strictly: bool, harmless: bool, untested: bool) -> Claim:
    if strictly:
        return Claim.STRICTLY_BETTER
    if harmless:
        return Claim.DO_NO_HARM
    if untested:
        return Claim.ANSWERS_MORE
    return Claim.BETTER if better else Claim.NONE


def _deciding_tests(outcomes: Outcomes, rules: Rules) -> tuple[Case3, Finding, Finding]:
    """Return case 3 by the deciding measure, the result of its deciding test, and that of the other test."""
    case3 = outcomes.esl if rules.deciding.on_esl else outcomes.rr
    tests = (case3.paired_t, case3.signed_rank)
    return (case3, *(tests if rules.deciding.is_t else tests[::-1]))


def _possible_harm(outcomes: Outcomes, case3: Case3, rules: Rules, side: int) -> tuple[Interval, str]:
    """Return the interval of possible harm and the name of its measure.

    If only case 3 is significant for the run, harm is measured in the share of queries answered, else in case 3.
    """
    if _is_significant_for(outcomes.case2, rules.benefit_alpha, side) or not _is_significant_for(
        _deciding_tests(outcomes, rules)[1], rules.benefit_alpha, side
    ):
        return _seen_from(case3.harm, side), "ESL" if rules.deciding.on_esl else "RR"
    return _seen_from(outcomes.unanswered_harm, side), SHARE_ANSWERED


def _seen_from(harm: Interval, side: int) -> Interval:
    return harm if side == 1 else Interval(-harm.value, -harm.high, -harm.low)


def _disagreement_of_tests(deciding: Finding, other: Finding, rules: Rules) -> str:
    """Describe where a second test does not confirm a benefit or harm, or finds another one; return "" if both agree.

    The second test is the other one of case 3 (paired t or signed-rank). A signed-rank test is also compared with its
    exact p-value.
    """

    def says(test: Finding, p: float) -> tuple[int, int]:
        levels = (rules.benefit_alpha, rules.alpha)
        return (test.favors * (p <= levels[0]), test.favors * (p <= levels[1]))

    measure = "ESL" if rules.deciding.on_esl else "RR"
    names = ("paired t", "signed-rank") if rules.deciding.is_t else ("signed-rank", "paired t")
    found = []
    if says(deciding, deciding.p) != says(other, other.p):
        found.append(
            f"{names[0]} on {measure} has p = {_p_text(deciding.p)}, {names[1]} p = {_p_text(other.p)}"
        )
    ranked = other if rules.deciding.is_t else deciding
    if not math.isnan(ranked.exact) and says(ranked, ranked.p) != says(ranked, ranked.exact):
        found.append(
            f"signed-rank's p from its exact distribution is {_p_text(ranked.exact)}, not {_p_text(ranked.p)}"
        )
    return "; ".join(found)


def _p_text(p: float) -> str:
    return "not defined" if math.isnan(p) else f"{p:.3g}"


def sentence_of(name_a: str, name_b: str, outcomes: Outcomes, rules: Rules) -> str:
    """Return the verdict as a sentence to quote, with the counts, means and p-values that support it."""
    verdict = verdict_of(outcomes, rules)
    subject, object_ = (name_b, name_a) if verdict.favors >= 0 else (name_a, name_b)
    said = {
        Claim.STRICTLY_BETTER: f"{subject} is strictly better than {object_}",
        Claim.DO_NO_HARM: f"{subject} improves on {object_} and does no harm",
        Claim.ANSWERS_MORE: f"{subject} answers more queries than {object_}, but nothing can be said about harm",
        Claim.BETTER: f"{subject} is better than {object_} on these queries, but not significantly",
        Claim.NONE: f"Neither {subject} nor {object_} can be called better",
    }[verdict.claim]
    parts = [
        _case2_part(outcomes, rules, verdict, (subject, object_)),
        _case3_part(outcomes, rules, verdict, (name_a, name_b)),
    ]
    if verdict.claim is Claim.DO_NO_HARM:
        parts.append(_harm_part(verdict, outcomes))
    text = f"{said}: {'; '.join(parts)} (benefits tested at {rules.alpha:g}/{rules.m}, harms at {rules.alpha:g})."
    return f"{text} The tests disagree: {verdict.disagreement}." if verdict.disagreement else text


def _case2_part(outcomes: Outcomes, rules: Rules, verdict: Verdict, names: tuple[str, str]) -> str:
    wins = (outcomes.b_wins, outcomes.a_wins)
    mine, theirs = wins if verdict.favors >= 0 else wins[::-1]
    return (
        f"{names[0]} alone answers {mine:,} of {outcomes.queries:,} queries, {names[1]} alone {theirs:,} "
        f"(exact binomial p = {_p_text(outcomes.case2.p)}, {_significance_in_words(outcomes.case2, rules)})"
    )


def _case3_part(outcomes: Outcomes, rules: Rules, verdict: Verdict, names: tuple[str, str]) -> str:
    case3, deciding, _ = _deciding_tests(outcomes, rules)
    if not outcomes.both:
        return "no query is answered by both"
    mine, theirs = (case3.b, case3.a) if verdict.favors >= 0 else (case3.a, case3.b)
    measure, digits = ("ESL", 2) if rules.deciding.on_esl else ("RR", 4)
    return (
        f"where both answer ({outcomes.both:,}), mean {measure} is {mine:.{digits}f} against "
        f"{theirs:.{digits}f} ({rules.deciding.words}{_finding_in_words(deciding, rules, names)})"
    )


def _finding_in_words(test: Finding, rules: Rules, names: tuple[str, str]) -> str:
    """Return p and its significance in words; if p is undefined, the run that the differences count against."""
    if not math.isnan(test.p):
        return f", p = {_p_text(test.p)}, {_significance_in_words(test, rules)}"
    alike = "there is one difference" if test.counted == 1 else "all differences are the same"
    return f" is not defined: {alike}, against {names[0] if test.favors > 0 else names[1]}"


def _significance_in_words(test: Finding, rules: Rules) -> str:
    if test.significant(rules.benefit_alpha):
        return "significant"
    return "not significant after correction" if test.significant(rules.alpha) else "not significant"


def _harm_part(verdict: Verdict, outcomes: Outcomes) -> str:
    """Return in words how much worse or better the favored run is in the measure that was tested for harm."""
    share = verdict.harm_in == SHARE_ANSWERED
    scale, unit = (100, " points") if share else (1, " places" if verdict.harm_in == "ESL" else "")

    def said(number: float, unit: str = "") -> str:
        if number == 0:
            return "equal"
        return f"{abs(number) * scale:.3g}{unit} {'better' if number < 0 else 'worse'}"

    harm = verdict.harm
    if harm.low == harm.high:
        return f"in {verdict.harm_in} it is {said(harm.value, unit)} on every query that both answer"
    bounds = f" ({outcomes.level:.0%} interval: {said(harm.low)} to {said(harm.high)})"
    return f"in {verdict.harm_in} it is {said(harm.value, unit)}{'' if math.isnan(harm.low) else bounds}"
