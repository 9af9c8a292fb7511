import pytest
from django.apps import apps
from django.contrib import admin
from django.urls import reverse

REGISTERED = [
    model for model in apps.get_app_config("judging").get_models() if admin.site.is_registered(model)
]


@pytest.mark.parametrize("model", REGISTERED, ids=lambda model: model.__name__)
def test_rows_can_be_looked_at_and_not_changed(fair, admin_client, model):
    campaign = fair.opened()
    fair.do_task(campaign, "A1", pass_gold=False)
    fair.collect(campaign)
    name = f"admin:judging_{model._meta.model_name}"

    page = admin_client.get(reverse(f"{name}_changelist"))

    assert page.status_code == 200
    assert admin_client.get(reverse(f"{name}_add")).status_code == 403
    first = model.objects.first()
    if first is not None:
        change = reverse(f"{name}_change", args=[first.pk])
        assert admin_client.get(change).status_code == 200
        assert admin_client.post(change, {}).status_code == 403


def test_crowd_ids_of_workers_are_not_shown():
    assert "CrowdIdentity" not in {model.__name__ for model in REGISTERED}
    assert len(REGISTERED) >= 10
