"""One challenge over its queries, after the first tournament."""

from fractions import Fraction

from tests.tournament.cast import derived, ladder
from tournament.contests import Contest, Need
from tournament.copeland import Ties
from tournament.derivation import Parameters
from tournament.outcomes import Status
from tournament.schedule import Rule, Sides

POOL = {1: [10, 11, 12]}
FIRST = {0: {1: ladder([10, 11, 12])}}


def challenge(number=1, *, bests=(10,), challengers=(20,), rule=Rule.SINGLE, query=1):
    return Contest(number, rule, {query: Sides(tuple(bests), tuple(challengers))})


def test_a_challenge_asks_the_newcomer_against_the_best_answer():
    result = derived(POOL, FIRST, [challenge(rule=Rule.LEAD2)])

    assert result.needs == [Need(1, 1, 10, 20, 2)]
    assert result.outcomes[1].status is Status.OPEN
    assert result.outcomes[1].best == (10,)
    assert result.outcomes[1].missing == ((10, 20),)


def test_a_newcomer_that_beats_the_best_answer_takes_its_place():
    result = derived(POOL, {**FIRST, 1: {1: [(20, 10, 20)]}}, [challenge()])

    assert result.needs == []
    assert result.outcomes[1].best == (20,)
    assert result.outcomes[1].status is Status.CLOSED
    assert result.outcomes[1].challenge == 1


def test_a_newcomer_that_loses_changes_nothing():
    result = derived(POOL, {**FIRST, 1: {1: [(20, 10, 10)]}}, [challenge()])

    assert result.outcomes[1].best == (10,)
    assert result.outcomes[1].status is Status.CLOSED


def test_a_newcomer_level_with_the_best_answer_joins_it():
    result = derived(POOL, {**FIRST, 1: {1: [(20, 10, None)]}}, [challenge()])

    assert result.outcomes[1].best == (10, 20)
    assert result.outcomes[1].tied


def test_two_newcomers_who_beat_the_best_answer_then_meet():
    both = {1: [(20, 10, 20), (21, 10, 21)]}

    waiting = derived(POOL, {**FIRST, 1: both}, [challenge(challengers=(20, 21))])
    settled = derived(POOL, {**FIRST, 1: {1: [*both[1], (20, 21, 21)]}}, [challenge(challengers=(20, 21))])

    assert waiting.needs == [Need(1, 1, 20, 21, 1)]
    assert settled.outcomes[1].best == (21,)
    assert settled.outcomes[1].wins == {10: 0, 20: 1, 21: 2}


def test_a_tied_set_keeps_its_ties_when_every_newcomer_loses():
    # With ties kept, 10 and 11 are tied by the first count though 10 beat 11; nothing new came in.
    judgments = [(10, 11, 10), (10, 12, 12), (11, 12, 11)]
    judgments += [(10, 13, 10), (11, 13, 11), (12, 13, 13)]
    lost = {1: [(20, 10, 10), (20, 11, 11)]}

    result = derived(
        {1: [10, 11, 12, 13]},
        {0: {1: judgments}, 1: lost},
        [challenge(bests=(10, 11))],
        Parameters(ties=Ties.KEEP),
    )

    assert result.outcomes[1].best == (10, 11)


def test_the_rounds_judgments_among_best_answers_count_as_shares():
    # 10, 11, 12 beat each other in turn, three judgments a pair, two against one.
    turn = [(10, 11), (11, 12), (12, 10)]
    judgments = [(a, b, p) for a, b in turn for p in (a, a, b)]
    newcomer = {1: [(20, 10, 20), (20, 11, 11), (20, 12, 12)]}

    result = derived(POOL, {0: {1: judgments}, 1: newcomer}, [challenge(bests=(10, 11, 12))])

    assert result.outcomes[1].wins == {10: 1, 11: 2, 12: 2, 20: 1}
    assert result.outcomes[1].best == (11,)  # recount between 11 and 12: 11 has 2/3 of a win
    assert result.outcomes[1].tied_at_first == 2


def test_lead2_gives_the_side_ahead_the_whole_win():
    said = [(20, 10, 20), (20, 10, 10), (20, 10, 20), (20, 10, 20)]

    result = derived(POOL, {**FIRST, 1: {1: said}}, [challenge(rule=Rule.LEAD2)])

    assert result.outcomes[1].wins == {10: Fraction(0), 20: Fraction(1)}


def test_challenges_apply_in_order_each_against_the_winner_before_it():
    rounds = {**FIRST, 1: {1: [(20, 10, 20)]}, 2: {1: [(20, 30, 30)]}}

    result = derived(POOL, rounds, [challenge(), challenge(2, bests=(20,), challengers=(30,))])

    assert result.outcomes[1].best == (30,)
    assert result.outcomes[1].challenge == 2


def test_a_tie_from_a_single_challenge_stays_level_under_a_later_lead2():
    rounds = {**FIRST, 1: {1: [(20, 10, None)]}, 2: {1: [(30, 10, 30), (30, 10, 30)] + [(20, 30, 20)] * 2}}

    later = challenge(2, bests=(10, 20), challengers=(30,), rule=Rule.LEAD2)
    result = derived(POOL, rounds, [challenge(), later])

    assert result.outcomes[1].wins == {10: Fraction(1, 2), 20: Fraction(3, 2), 30: 1}
    assert result.outcomes[1].best == (20,)


def test_a_later_challenge_waits_while_an_earlier_one_lacks_judgments():
    result = derived(POOL, FIRST, [challenge(), challenge(2, challengers=(30,))])

    assert [need.challenge for need in result.needs] == [1]
    assert result.outcomes[1].challenge == 1


def test_when_the_first_tournament_turns_out_otherwise_the_newcomer_meets_the_new_winner():
    rounds = {0: {1: ladder([11, 10, 12])}, 1: {1: [(20, 10, 20)]}}

    result = derived(POOL, rounds, [challenge(bests=(10,))])

    assert result.needs == [Need(1, 1, 11, 20, 1)]


def test_a_query_whose_first_tournament_is_open_is_not_challenged():
    result = derived(POOL, {0: {1: [(10, 11, 10)]}}, [challenge()])

    assert result.needs == []
    assert result.outcomes[1].missing == ((10, 12), (11, 12))


def test_a_query_known_from_an_earlier_version_starts_from_its_best_answers():
    contest = challenge(bests=(10, 11), challengers=(20,), query=7)
    won = {1: {7: [(20, 10, 20), (20, 11, 20)]}}

    assert {(need.a, need.b) for need in derived(POOL, FIRST, [contest]).needs} == {(10, 20), (11, 20)}
    assert derived(POOL, {**FIRST, **won}, [contest]).outcomes[7].best == (20,)
    lost_one = {1: {7: [(20, 10, 20), (20, 11, 11)]}}
    outcome = derived(POOL, {**FIRST, **lost_one}, [contest]).outcomes[7]
    assert outcome.wins == {10: Fraction(1, 2), 11: Fraction(3, 2), 20: 1}


def test_the_best_answer_of_a_singleton_can_be_challenged():
    contest = challenge(bests=(50,), query=5)

    result = derived({5: [50]}, {1: {5: [(20, 50, 20)]}}, [contest])

    assert result.outcomes[5].best == (20,)
    assert result.outcomes[5].status is Status.CLOSED


def test_a_singleton_stays_one_when_only_members_of_its_class_arrive():
    result = derived({5: [50]}, {}, [challenge(bests=(50,), challengers=(), query=5)])

    assert result.outcomes[5].status is Status.SINGLETON
