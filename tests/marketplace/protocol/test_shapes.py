"""Requests and responses against botocore's service model."""

from datetime import UTC, datetime

import pytest

from marketplace.errors import SerializationException, UnknownOperationException, ValidationException
from marketplace.protocol import shapes


def test_known_members_are_kept_and_unknown_ones_dropped():
    request = shapes.read_request("GetHIT", {"HITId": "3ABC", "Surplus": 1})

    assert request == {"HITId": "3ABC"}


def test_times_become_datetimes():
    request = shapes.read_request("UpdateExpirationForHIT", {"HITId": "3ABC", "ExpireAt": 0})

    assert request["ExpireAt"] == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "document", "message"),
    [
        (
            "SendBonus",
            {"WorkerId": "AX", "AssignmentId": "3A", "Reason": "r", "BonusAmount": "0.9752"},
            "1 validation error detected: Value '0.9752' at 'bonusAmount' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern",
        ),
        ("GetHIT", {}, "Value null at 'hITId' failed to satisfy constraint: Member must not be null"),
        ("GetHIT", {"HITId": "3" * 65}, "Member must have length less than or equal to 64"),
        ("GetHIT", {"HITId": "3abc"}, "regular expression"),
        ("GetHIT", {"HITId": "3ABC\n"}, "regular expression"),
        ("ListHITs", {"MaxResults": 101}, "Member must have value less than or equal to 100"),
        ("ListReviewableHITs", {"Status": "Done"}, r"enum value set: \[Reviewable, Reviewing\]"),
        ("ListHITs", {"MaxResults": 0, "NextToken": ""}, "2 validation errors detected"),
    ],
)
def test_broken_constraints_are_named_in_awss_words(name, document, message):
    with pytest.raises(ValidationException, match=message):
        shapes.read_request(name, document)


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("GetHIT", {"HITId": 3}),
        ("ListHITs", {"MaxResults": True}),
        ("ListHITs", {"MaxResults": 2**40}),
        ("NotifyWorkers", {"Subject": "s", "MessageText": "t", "WorkerIds": "AX"}),
        ("UpdateExpirationForHIT", {"HITId": "3A", "ExpireAt": 1e30}),
    ],
)
def test_a_wrong_type_cannot_be_read(name, document):
    with pytest.raises(SerializationException):
        shapes.read_request(name, document)


def test_an_operation_the_model_lacks_is_unknown():
    with pytest.raises(UnknownOperationException):
        shapes.operation("GrantBonus")


@pytest.mark.parametrize(
    "document", [{"Balance": "1"}, {"AvailableBalance": "-1.00"}, {"AvailableBalance": 100}]
)
def test_a_response_that_does_not_fit_is_our_mistake(document):
    with pytest.raises(shapes.UndescribedResponse):
        shapes.write_response("GetAccountBalance", document)


def test_nulls_are_left_out_of_a_response():
    assert shapes.write_response("ListHITs", {"NextToken": None, "NumResults": 0}) == {"NumResults": 0}
