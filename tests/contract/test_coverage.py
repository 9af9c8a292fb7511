"""The contract calls every operation there is, and says which it did not ask of another endpoint."""

from __future__ import annotations

import pytest

from tests.contract.calling import CALLS, Calls, operations
from tests.contract.conftest import FOLDER
from tests.contract.endpoint import make_client, named_endpoint


def test_another_endpoint_needs_its_keys_and_says_which():
    url = {"PREFEREE_CONTRACT_ENDPOINT": "https://crowd.example"}
    keys = {"PREFEREE_CONTRACT_ACCESS_KEY": "AKIA", "PREFEREE_CONTRACT_SECRET_KEY": "s"}

    assert named_endpoint({}) is None
    with pytest.raises(
        pytest.UsageError, match="PREFEREE_CONTRACT_ACCESS_KEY and PREFEREE_CONTRACT_SECRET_KEY"
    ):
        named_endpoint(url)
    with pytest.raises(pytest.UsageError, match="set PREFEREE_CONTRACT_SECRET_KEY too"):
        named_endpoint(url | {"PREFEREE_CONTRACT_ACCESS_KEY": "AKIA"})
    named = named_endpoint(url | keys)
    assert (named.url, named.access_key, named.has_workers) == ("https://crowd.example", "AKIA", False)


def test_only_what_was_answered_counts_as_called(endpoint):
    calls = Calls()
    wrong, right = (
        make_client(endpoint.url, endpoint.access_key, secret) for secret in ("wrong", endpoint.secret_key)
    )
    for client in (wrong, right):
        calls.listen_to(client)

    with pytest.raises(wrong.exceptions.ClientError):
        wrong.list_hits()
    right.get_account_balance()

    assert calls.answered == {"get_account_balance"}
    wrong.close()
    right.close()


def test_every_operation_of_the_service_model_is_called_through_boto3_and_answered(request, endpoint):
    """Stands last (tests/contract/conftest.py): by what was called while the tests before it ran."""
    others = {item.nodeid for item in request.session.items if item.path.parent == FOLDER}
    every = {path.name for path in FOLDER.glob("test_*.py")}
    if (
        others - {request.node.nodeid} - CALLS.tests_over
        or {name.split("::")[0].split("/")[-1] for name in others} < every
    ):
        pytest.skip("only a part of the contract was run in this process")

    missing = operations() - CALLS.answered

    if missing and not endpoint.has_workers:
        pytest.skip(f"not asked of this endpoint, for want of somebody who works there: {sorted(missing)}")
    assert missing == set()
