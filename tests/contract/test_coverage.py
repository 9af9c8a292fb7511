"""The contract calls every operation, and lists those that it did not call at another endpoint."""

import json
import os
import subprocess
import sys

import pytest

from tests.contract.calling import CALLS, Calls, operations
from tests.contract.conftest import FOLDER
from tests.contract.endpoint import Person, make_client, named_endpoint, submit


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


def test_another_marketplace_may_have_people_who_work_there(tmp_path):
    named = {
        "PREFEREE_CONTRACT_ENDPOINT": "https://crowd.example",
        "PREFEREE_CONTRACT_ACCESS_KEY": "AKIA",
        "PREFEREE_CONTRACT_SECRET_KEY": "s",
    }
    links, file = (
        ["https://work.example/signin/token/a/", "https://work.example/signin/token/b/"],
        tmp_path / "links",
    )
    file.write_text("".join(json.dumps({"username": "w", "link": link}) + "\n" for link in links))
    by_link = {"PREFEREE_CONTRACT_SIGNIN_LINKS": str(file)}

    open_site = named_endpoint(named | {"PREFEREE_CONTRACT_WORKER_SITE": "https://crowd.example/"})
    closed_site = named_endpoint(named | by_link)

    assert (open_site.site, open_site.links, open_site.has_queue) == ("https://crowd.example", (), False)
    assert (closed_site.site, list(closed_site.links)) == ("https://work.example", links)
    with pytest.raises(pytest.UsageError, match=r"not of https://other\.example"):
        named_endpoint(named | by_link | {"PREFEREE_CONTRACT_WORKER_SITE": "https://other.example"})
    with pytest.raises(pytest.UsageError, match="cannot be read"):
        named_endpoint(named | {"PREFEREE_CONTRACT_SIGNIN_LINKS": str(tmp_path / "none")})


@pytest.mark.soak
def test_workers_who_sign_in_through_a_link_work_like_those_who_signed_up(crowd, endpoint, hit, tmp_path):
    if not endpoint.folder:
        pytest.skip("this marketplace is not ours to make accounts in")
    others = {name: value for name, value in os.environ.items() if not name.startswith("MARKETPLACE_")}
    ours = {"PREFEREE_DATA_DIR": str(endpoint.folder), "MARKETPLACE_PUBLIC_URL": endpoint.url}
    words = [
        "-m",
        "marketplace",
        "create_workers",
        "--count",
        "1",
        "--program",
        "--prefix",
        "linked",
        "--out",
    ]
    subprocess.run([sys.executable, *words, str(tmp_path / "links")], env=others | ours, check=True)
    person = Person(endpoint.site, json.loads((tmp_path / "links").read_text())["link"])
    task = person.take(hit["HITTypeId"])
    submit(task)

    crowd.approve_assignment(AssignmentId=task["assignmentId"])

    approved = crowd.get_assignment(AssignmentId=task["assignmentId"])["Assignment"]
    assert approved["AssignmentStatus"] == "Approved"
    person.http.close()


def test_only_answered_calls_count(endpoint):
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
    """Runs last (tests/contract/conftest.py) and checks the calls of the previous tests."""
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
    if not endpoint.has_queue:
        notifying = {"send_test_event_notification", "update_notification_settings"}
        assert missing <= notifying
        pytest.skip(f"not asked of this endpoint, for want of a queue: {sorted(missing)}")
    assert missing == set()
