"""How many calls a second pass."""

from __future__ import annotations

from marketplace.throttle import Throttle


class Hand:
    time = 0.0

    def __call__(self):
        return self.time


def test_a_second_lets_its_number_of_calls_through():
    hand = Hand()
    throttle = Throttle(hand)

    assert [throttle.admit("a", 3) for _ in range(4)] == [True, True, True, False]
    hand.time = 0.34
    assert [throttle.admit("a", 3) for _ in range(2)] == [True, False]


def test_each_key_has_its_own_bucket():
    throttle = Throttle(Hand())

    assert throttle.admit("a", 1)
    assert not throttle.admit("a", 1)
    assert throttle.admit("b", 1)


def test_zero_lets_everything_through():
    throttle = Throttle(Hand())

    assert all(throttle.admit("a", 0) for _ in range(100))
