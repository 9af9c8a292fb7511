"""The state of background work, described in the same way by every page and call: idle, running, failed, retried."""

import pytest
from django.http import QueryDict
from django.urls import reverse

from config import clock
from config.background.models import AtWork, Job
from judging.campaign.gold_proposals import gold_work
from judging.models import Campaign
from leaderboard.jobs import ANALYSE, job_key
from pooling.models import NewCollection
from tests.web.addresses import asking_job, pool_job
from tests.web.api_caller import api as api
from web.analyses import pages as analysis_pages
from web.campaigns.jobs import SIMULATE
from web.preparation.jobs import REHEARSE
from web.releases.jobs import RELEASE
from web.versions.jobs import CHALLENGE, PUBLISH

IDLE = "No background worker is running."
OURS = "A software error stopped this (job"
SECRET = "Traceback (most recent call last): KeyError: worker A1"


def a_job(kind: str, key: str, **facts) -> Job:
    return Job.objects.create(kind=kind, key=key, **facts)


def pages_of(cast) -> dict[str, Job]:
    """Return address → the job that its page describes, for every kind of page that describes one."""
    spring = {"campaign_id": cast.campaign.pk}
    made = NewCollection.objects.create(user=cast.sent.user, name="made")
    stability = analysis_pages.asked_for(
        cast.collection, analysis_pages.kind_or_404("stability"), QueryDict(), cast.sent.user
    )
    challenge = spring | {"runs": ["quay"], "rule": "lead2"}
    jobs = {
        reverse("web:upload", args=["harbour", cast.sent.pk]): a_job(
            "pooling.check_upload", cast.sent.job_key
        ),
        reverse("web:added", args=["harbour", cast.added.pk]): a_job("pooling.add_files", cast.added.job_key),
        reverse("web:making", args=[made.pk]): a_job("pooling.make_collection", made.job_key),
        reverse("web:pool_work", args=["harbour", (pool := pool_job(cast)).pk]): pool,
        reverse("web:asking_work", args=["harbour", (asking := asking_job(cast)).pk]): asking,
        reverse("web:analysis", args=["harbour", "stability"]): a_job(ANALYSE, job_key(stability)),
        reverse("web:publish", args=["spring"]): a_job(PUBLISH, "p", arguments=spring),
        reverse("web:challenge", args=["spring"]): a_job(CHALLENGE, "c", arguments=challenge),
        reverse("web:release", args=["harbour", 1]): a_job(
            RELEASE, "r", arguments={"version_id": cast.version.pk}
        ),
        reverse("web:simulate", args=["spring"]): a_job(SIMULATE, f"{SIMULATE}:{cast.campaign.pk}"),
    }
    draft = Campaign.objects.create(name="draft", collection=cast.collection, pool=cast.pool, seed=1)
    rehearsal = a_job(REHEARSE, f"{REHEARSE}:{draft.pk}")
    gold = a_job("judging.propose_gold", f"judging.propose_gold:{draft.pk}")
    assert gold_work(draft).first() == gold
    jobs[reverse("web:prepare_rehearsal", args=["draft"])] = rehearsal
    jobs[reverse("web:prepare_gold", args=["draft"])] = gold
    return jobs


def test_every_page_says_why_work_waits_and_how_it_failed(cast, data_dir):
    pages, owner = pages_of(cast), cast.clients["owner"]
    Job.objects.update(state="waiting", result=None)

    idle = {address: IDLE in owner.get(address).content.decode() for address in pages}
    AtWork.objects.create(name="another", pulse_at=clock.now())
    waiting = {address: IDLE in owner.get(address).content.decode() for address in pages}
    Job.objects.update(
        state="failed", fault="software", failure="KeyError", trace=SECRET, finished_at=clock.now()
    )
    failed = {address: owner.get(address).content.decode() for address in pages}

    assert idle == dict.fromkeys(pages, True)
    assert waiting == dict.fromkeys(pages, False)
    for address, job in pages.items():
        assert f"{OURS} {job.pk})" in failed[address], address
        assert "KeyError" not in failed[address], address
        assert "data-refresh" not in failed[address], address


@pytest.mark.parametrize("what", ["upload", "added", "making", "pool_work", "asking_work"])
def test_a_button_retries_failed_work(cast, data_dir, what):
    (address, job), *_ = (
        (address, job) for address, job in pages_of(cast).items() if address.startswith(start_of(what))
    )
    Job.objects.filter(pk=job.pk).update(state="failed", fault="outside", failure_message="The disk is full.")

    told = cast.clients["owner"].get(address).content.decode()
    reply = cast.clients["owner"].post(f"{address}again")

    assert f'action="{address}again"' in told
    assert reply.status_code == 302
    again = Job.objects.filter(key=job.key).order_by("-pk")[0]
    assert (again.pk != job.pk, again.kind, again.arguments.keys() >= job.arguments.keys()) == (
        True, job.kind, True,
    )  # fmt: skip


def test_the_list_of_files_says_which_check_failed(cast):
    address = "/collections/harbour/uploads/"
    a_job("pooling.check_upload", cast.sent.job_key, state="failed", fault="software")

    page = cast.clients["owner"].get(address).content.decode()

    assert "check failed" in page
    assert "being checked" not in page
    assert "data-refresh" not in page


def start_of(what: str) -> str:
    return {
        "upload": "/collections/harbour/uploads/",
        "added": "/collections/harbour/files/",
        "making": "/new-collection/",
        "pool_work": "/collections/harbour/pools/work/",
        "asking_work": "/collections/harbour/better-than-perfect/work/",
    }[what]


def test_a_call_reports_a_failed_check_and_reading_does_not_restart_it(api, data_dir):
    sent = api.send()
    Job.objects.update(state="failed", fault="software", failure="KeyError", trace=SECRET)

    told = api.client.get(sent["Location"], headers=api.headers).json()
    assert (told["state"], told["work"]["state"], told["work"]["fault"]) == ("waiting", "failed", "software")
    assert told["work"]["problem"].startswith(OURS)
    assert "KeyError" not in str(told)
    assert Job.objects.count() == 1

    again = api.send()

    assert again.status_code == 200
    assert (again.json()["work"]["state"], again.json()["work"]["fault"]) == ("waiting", "")
    assert again.json()["work"]["idle"].startswith(IDLE)
    assert Job.objects.count() == 2


def test_viewing_a_new_collection_does_not_restart_its_check(api, data_dir):
    queries = [{"what": "queries", "file_name": "q.tsv", "size_bytes": 7}]
    begun = api.post("/collections", {"name": "mine", "files": queries}, **{"Idempotency-Key": "k"})
    assert begun.json()["work"] is None
    NewCollection.objects.update(state="waiting")
    lost = api.client.get(begun["Location"], headers=api.headers).json()["work"]

    assert (lost["id"], lost["state"], lost["problem"]) == (
        None,
        "failed",
        "The background job for this was never started.",
    )
    assert not Job.objects.exists()
    api.post("/collections", {"name": "mine", "files": queries}, **{"Idempotency-Key": "k"})
    assert Job.objects.get().kind == "pooling.make_collection"
