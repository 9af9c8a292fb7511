"""Which tests start after the time limit of `make soak`."""

import pytest

from tests.stages import is_out_of_time


@pytest.mark.parametrize(
    ("only", "until", "late"),
    [
        ("soak", "1000", True),
        ("database", "1000", True),
        ("soak", "", False),
        ("change", "1000", False),
        ("differing", "1000", False),
    ],
)
def test_only_long_tests_have_a_time_limit(only, until, late, monkeypatch):
    monkeypatch.setenv("PREFEREE_TEST_ONLY", only)
    monkeypatch.setenv("PREFEREE_SOAK_UNTIL", until)

    assert not is_out_of_time(1000.0)
    assert is_out_of_time(1000.5) is late
