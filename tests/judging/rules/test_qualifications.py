import pytest

from judging.rules.qualifications import requirement_words, same_requirements

US = {
    "QualificationTypeId": "00000000000000000071",
    "Comparator": "In",
    "LocaleValues": [{"Country": "US"}, {"Country": "CA", "Subdivision": "ON"}],
}
RATE = {"QualificationTypeId": "000000000000000000L0", "Comparator": "GreaterThan", "IntegerValues": [97]}


def test_the_same_in_another_order_with_more_fields_is_the_same():
    told = [
        RATE | {"RequiredToPreview": False},
        US | {"LocaleValues": [{"Subdivision": "ON", "Country": "CA"}, {"Country": "US"}]},
    ]

    assert same_requirements([US, RATE], told)
    assert same_requirements([], [])


@pytest.mark.parametrize(
    "told",
    [[], [US], [RATE, US, US], [US, RATE | {"IntegerValues": [9]}], [US, RATE | {"Comparator": "Exists"}]],
)
def test_less_more_or_another_limit_is_not_the_same(told):
    assert not same_requirements([US, RATE], told)


def test_words_name_qualification_comparison_and_values():
    assert requirement_words([RATE]) == "000000000000000000L0 GreaterThan 97"
    assert requirement_words([US]) == "00000000000000000071 In US, CA-ON"
    assert requirement_words([]) == "nothing"
