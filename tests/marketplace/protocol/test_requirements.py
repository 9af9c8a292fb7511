"""Whether a worker meets a HIT type's requirements."""

import pytest

from marketplace.protocol import requirements as qualifying
from marketplace.protocol.requirements import Standing


def integer(comparator, *values, type_id="3OWN", **more):
    requirement = {"QualificationTypeId": type_id, "Comparator": comparator, **more}
    return requirement | ({"IntegerValues": list(values)} if values else {})


@pytest.mark.parametrize(
    ("comparator", "values", "met"),
    [
        ("LessThan", [5], False),
        ("LessThanOrEqualTo", [5], True),
        ("GreaterThan", [4], True),
        ("GreaterThanOrEqualTo", [6], False),
        ("EqualTo", [5], True),
        ("NotEqualTo", [5], False),
        ("In", [1, 5], True),
        ("NotIn", [1, 5], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
    ],
)
def test_a_score_of_five_is_compared(comparator, values, met):
    assert qualifying.meets(integer(comparator, *values), Standing({"3OWN": 5})) is met


@pytest.mark.parametrize("comparator", ["LessThan", "NotEqualTo", "NotIn", "Exists"])
def test_without_the_qualification_every_comparison_fails(comparator):
    assert not qualifying.meets(integer(comparator, 5), Standing({}))


def test_does_not_exist_is_met_without_the_qualification():
    assert qualifying.meets(integer("DoesNotExist"), Standing({}))


@pytest.mark.parametrize(
    ("comparator", "locales", "met"),
    [
        ("EqualTo", [{"Country": "US"}], True),
        ("EqualTo", [{"Country": "US", "Subdivision": "CA"}], True),
        ("EqualTo", [{"Country": "US", "Subdivision": "NY"}], False),
        ("In", [{"Country": "DE"}, {"Country": "US"}], True),
        ("NotIn", [{"Country": "DE"}], True),
        ("NotEqualTo", [{"Country": "US"}], False),
    ],
)
def test_locales_are_compared_by_country_and_then_subdivision(comparator, locales, met):
    requirement = {
        "QualificationTypeId": qualifying.LOCALE,
        "Comparator": comparator,
        "LocaleValues": locales,
    }

    assert qualifying.meets(requirement, Standing({}, "US", "CA")) is met


def test_a_worker_without_a_country_meets_no_locale():
    requirement = {
        "QualificationTypeId": qualifying.LOCALE,
        "Comparator": "NotEqualTo",
        "LocaleValues": [{"Country": "US"}],
    }

    assert not qualifying.meets(requirement, Standing({}))


def test_a_requirement_guards_what_it_names():
    accept, hidden = integer("Exists"), integer("Exists", ActionsGuarded="DiscoverPreviewAndAccept")

    assert qualifying.unmet([accept, hidden], Standing({}), "discover") == [hidden]
    assert qualifying.unmet([accept, hidden], Standing({}), "accept") == [accept, hidden]


def test_approval_counts_as_full_below_a_hundred_submissions():
    assert qualifying.approved_percent(submitted=99, approved=1, rejected=98) == 100
    assert qualifying.approved_percent(submitted=100, approved=97, rejected=3) == 97


@pytest.mark.parametrize(
    "requirement",
    [
        integer("Exists", 1),
        integer("EqualTo"),
        integer("EqualTo", 1, 2),
        integer("In", *range(16)),
        {
            "QualificationTypeId": qualifying.LOCALE,
            "Comparator": "LessThan",
            "LocaleValues": [{"Country": "US"}],
        },
        integer("EqualTo", 1, type_id=qualifying.LOCALE),
        {"QualificationTypeId": "3OWN", "Comparator": "EqualTo", "LocaleValues": [{"Country": "US"}]},
    ],
)
def test_values_that_do_not_fit_the_comparator_are_named(requirement):
    assert qualifying.fault(requirement)
