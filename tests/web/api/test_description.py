"""Every call keeps what the OpenAPI document says of it, whatever is sent (schemathesis makes it up)."""

import copy

import pytest
import requests
import schemathesis
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings, strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from tests.stages import examples
from web.api_routers import api

pytestmark = pytest.mark.one_database

EXAMPLES = examples(4, 10)
WRITTEN = api.get_openapi_schema()
CALLS = [(verb, path) for path, calls in WRITTEN["paths"].items() for verb in calls]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture
def token(cast, settings):
    """What opens everything that an owner may, without a limit."""
    settings.API_CALLS_PER_MINUTE = 10**9
    cast.campaign.state = "open"
    cast.campaign.save()
    user = get_user_model().objects.get(username="owner")
    return make_token(user=user, name="t", scopes=list(ApiToken.Scope.values), days=1)[1]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"team": "a\\u0000b"}', "NUL"),
        (b'{"team": "\\ud800"}', "UTF-8"),
        (b"\xff", "UTF-8"),
        (b"[]", "object"),
        (b"null", "object"),
        (b"{", "JSON"),
    ],
)
def test_a_body_that_is_no_object_of_text_is_refused(token, cast, body, reason):
    reply = Client().patch(
        f"/api/v1/collections/harbour/runs/{cast.quay.pk}",
        body,
        "application/json",
        headers={"Authorization": f"Bearer {token}"},
    )

    assert reply.status_code == 400
    assert reason in reply.json()["detail"]


@pytest.mark.parametrize("address", ["/collections/har%00bour/", "/?next=%00", "/api/v1/campaigns/%00"])
def test_an_address_with_a_nul_is_refused(client, db, address):
    assert client.get(address).status_code == 400


def described() -> schemathesis.schemas.BaseSchema:
    """The document less what it says of tokens: the tests send a good one with every request."""
    document = copy.deepcopy(dict(WRITTEN))
    for calls in document["paths"].values():
        for call in calls.values():
            call.pop("security")
    return schemathesis.openapi.from_dict(document)


DOCUMENT = described()


def path_is_wrong(case: schemathesis.Case) -> bool:
    """Whether the case is about a path that must be refused."""
    return case.meta.components[ParameterLocation.PATH].mode.is_negative


def answer(case, token: str) -> schemathesis.Response:
    """What the product answers; Django's own client keeps the test's transaction open."""
    wanted = requests.Request(**case.as_transport_kwargs(base_url="http://testserver")).prepare()
    headers = {**wanted.headers, "Authorization": f"Bearer {token}"}
    body = wanted.body.encode() if isinstance(wanted.body, str) else wanted.body or b""
    said = Client(raise_request_exception=False).generic(
        wanted.method, wanted.path_url, body, headers.get("Content-Type", ""), headers=headers
    )
    heads = {name: [value] for name, value in said.headers.items()}
    return schemathesis.Response(said.status_code, heads, b"".join(said), wanted, elapsed=0.1, verify=False)


@pytest.mark.generated
@pytest.mark.parametrize(("verb", "path"), CALLS, ids=[f"{verb} {path}" for verb, path in CALLS])
def test_a_call_answers_as_described(token, cast, verb, path):
    rows = {
        "webhooks": cast.hook,
        "members": cast.member,
        "invitations": cast.invited,
        "workers": cast.judge,
        "appeals": cast.appeal,
    }
    known = {
        "name": cast.collection.name if path.startswith("/api/v1/collections") else cast.campaign.name,
        "key": next((row.pk for part, row in rows.items() if f"/{part}/" in path), cast.quay.pk),
        "graded": "swell",
        "message": cast.message.pk,
        "number": 1,
        "pool": cast.pool.name,
        "labels": cast.official.name,
        "round_name": "2026",
        "kind": "stability",
    }

    operation = DOCUMENT[path][verb.upper()]

    @given(
        case=st.one_of(operation.as_strategy(generation_mode=mode) for mode in GenerationMode),
        known_address=st.booleans(),
    )
    @settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize=True,
        suppress_health_check=HealthCheck,
    )
    def answers(case, known_address):
        # By chance alone hardly a call would find the thing that it names.
        if known_address and case.path_parameters and not path_is_wrong(case):
            case.path_parameters = {name: known[name] for name in case.path_parameters}
        with transaction.atomic():
            reply = answer(case, token)
            transaction.set_rollback(True)
        case.validate_response(reply, checks=CHECKS)

    answers()
