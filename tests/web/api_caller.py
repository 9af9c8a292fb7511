"""API calls of an owner."""

import json

import pytest
from django.contrib.auth import get_user_model

from accounts.models import ApiToken
from accounts.services.tokens import make_token
from pooling.models import Membership

RUN = b"q1 Q0 a 1 2.0 sent\nq1 Q0 b 2 1.0 sent\nq2 Q0 a2 1 1.0 sent\n"
RUNS = "/api/v1/collections/harbour/runs"


class Api:
    """Calls the API with an owner's token."""

    def __init__(self, client, collection) -> None:
        user = get_user_model().objects.create_user("olga")
        Membership.objects.create(collection=collection, user=user, role="owner")
        self.client, self.user = client, user
        self.token = make_token(user=user, name="t", scopes=ApiToken.Scope.values, days=1)[1]

    def get(self, address, **headers):
        return self.client.get(f"/api/v1{address}", headers=self.headers | headers)

    def post(self, address, content, **headers):
        body = content if isinstance(content, bytes) else json.dumps(content)
        return self.client.post(
            f"/api/v1{address}", body, content_type="application/json", headers=self.headers | headers
        )

    def send(self, content=RUN, key="k1", options="file_name=sent.txt"):
        return self.post(f"/collections/harbour/runs?{options}", content, **{"Idempotency-Key": key})

    @property
    def headers(self):
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def api(client, published):
    return Api(client, published.collection)


def problem(reply, status):
    assert (reply.status_code, reply["Content-Type"]) == (status, "application/problem+json")
    assert reply.json()["status"] == status
    return reply.json()
