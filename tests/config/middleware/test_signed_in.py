"""Workers' pages have no sessions or accounts; all other pages do."""

import pytest

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_pages_for_people_have_a_session_and_an_account(client):
    request = client.get("/").wsgi_request

    assert hasattr(request, "session")
    assert not request.user.is_authenticated


def test_workers_pages_have_none_even_for_a_person_who_is_signed_in(client, django_user_model):
    client.force_login(django_user_model.objects.create(username="ada"))

    response = client.get("/judge/unknown/")

    assert response.status_code == 404
    assert not hasattr(response.wsgi_request, "session")
    assert not hasattr(response.wsgi_request, "user")
    assert not response.cookies
