"""The marketplace's clock."""

from datetime import timedelta

from marketplace import clock


def test_a_shift_moves_now_and_not_the_wall():
    with clock.shifted(timedelta(hours=25)):
        moved = clock.now() - clock.wall()

    assert timedelta(hours=24, minutes=59) < moved <= timedelta(hours=25)
    assert abs(clock.now() - clock.wall()) < timedelta(minutes=1)
