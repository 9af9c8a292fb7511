"""The sample with simulated judgments, as the home page loads it."""

import pytest

from config.background.models import Job
from judging.models import Campaign
from tests.due_jobs import work_off_everything
from tournament.models import QrelVersion
from web.collections.jobs import ring_for_sample

pytestmark = [
    pytest.mark.soak,
    pytest.mark.journey,
    pytest.mark.xdist_group("sample"),
    pytest.mark.django_db(transaction=True),
]


def test_the_sample_comes_with_a_version_by_simulated_workers(site, django_user_model):
    ada = django_user_model.objects.create_superuser("ada")

    job = ring_for_sample(ada.pk, judged=True)
    work_off_everything()

    assert Job.objects.get(pk=job.pk).result == {"collection": "sample"}
    version = QrelVersion.objects.get(collection__name="sample")
    assert (version.number, version.simulated, version.published_by) == (1, True, "ada")
    campaign = Campaign.objects.get(name="sample-first")
    assert campaign.tasks.exclude(state="done").count() == 0
