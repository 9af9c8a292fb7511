"""Which tests run when the time of a stage is over."""

import pytest

from tests.stages import skip_when_time_is_up


@pytest.mark.parametrize("only", ["soak", "database"])
def test_long_tests_are_skipped_once_their_time_is_over(only, monkeypatch):
    monkeypatch.setenv("PREFEREE_TEST_ONLY", only)
    monkeypatch.setenv("PREFEREE_SOAK_UNTIL", "1000")

    skip_when_time_is_up(1000.0)

    with pytest.raises(pytest.skip.Exception, match="PREFEREE_SOAK_UNTIL"):
        skip_when_time_is_up(1000.5)


@pytest.mark.parametrize(("only", "until"), [("change", "1000"), ("differing", "1000"), ("soak", "")])
def test_everyday_tests_and_stages_without_a_limit_always_run(only, until, monkeypatch):
    monkeypatch.setenv("PREFEREE_TEST_ONLY", only)
    monkeypatch.setenv("PREFEREE_SOAK_UNTIL", until)

    skip_when_time_is_up(2000.0)
