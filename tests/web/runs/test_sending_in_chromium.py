"""From an empty site to a run's page in a browser, on real queries and runs, under axe-core."""

import gzip
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from playwright.sync_api import Page, expect

from pooling.models import Collection, Run, RunUpload
from tests.accessibility import WIDER, Inspector
from tests.chromium import follow
from tests.due_jobs import work_off_everything

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
QUERIES = 12


@pytest.fixture
def folder(shared_data, tmp_path) -> Path:
    """A dozen real queries with labels, and two real runs on them, one of which is broken."""
    data, folder = shared_data / "dl21", tmp_path / "to-send"
    folder.mkdir()
    topics = (data / "topics.tsv").read_text().splitlines()
    labels = (data / "qrels.txt").read_text().splitlines()
    labeled = list(dict.fromkeys(line.split()[0] for line in labels))[:QUERIES]
    queries = [line for line in topics if line.split("\t")[0] in labeled]
    (folder / "queries.tsv").write_text("\n".join(queries))
    (folder / "qrels.txt").write_text("\n".join(line for line in labels if line.split()[0] in labeled))
    for number, path in enumerate(sorted((data / "runs").iterdir())[:2]):
        read = gzip.open if path.suffix == ".gz" else open
        with read(path, "rt") as file:
            lines = [line for line in file if line.split()[0] in labeled]
        if number:
            lines[3] = " ".join(lines[3].split()[:5]) + "\n"
            lines[9] = lines[9].replace(lines[9].split()[0], "no-such-query", 1)
        (folder / f"run{number}.txt").write_text("".join(lines))
    return folder


def signed_in(page: Page, address: str) -> None:
    client = Client()
    client.force_login(get_user_model().objects.create_user("ada"))
    session = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": address}])


def make_collection(page: Page, folder: Path, inspector: Inspector) -> None:
    follow(page.get_by_role("link", name="New collection"))
    inspector.look(page, "new collection")
    page.get_by_label("Name").fill("trec")
    page.get_by_label("Title").fill("TREC 2021, a dozen queries")
    page.get_by_label("Queries", exact=True).set_input_files(folder / "queries.tsv")
    page.get_by_label("Qrels").set_input_files(folder / "qrels.txt")
    page.get_by_role("button", name="Create the collection").click()
    expect(page.get_by_role("status")).to_contain_text("No background worker is running.")
    inspector.look(page, "being made")
    work_off_everything()
    expect(page.get_by_role("heading", name="TREC 2021, a dozen queries")).to_be_visible()
    assert Collection.objects.get(name="trec").queries.count() == QUERIES
    inspector.look(page, "a collection without runs")


def send_runs(page: Page, folder: Path, inspector: Inspector) -> None:
    follow(page.get_by_role("link", name="Upload runs").first)
    inspector.look(page, "send runs")
    page.route("**/part", once_broken())
    page.locator("summary", has_text="Describe these runs").click()
    page.get_by_label("Team").fill("harbourers")
    page.get_by_label("Choose run files").set_input_files([folder / "run0.txt", folder / "run1.txt"])
    page.get_by_role("button", name="Send and import").click()
    expect(page.get_by_role("heading", name="Uploads")).to_be_visible()
    work_off_everything()
    refused = page.get_by_role("row").filter(has_text="refused")
    expect(refused).to_be_visible()
    inspector.look(page, "what was sent")
    refused.get_by_role("link").first.click()
    problems = page.get_by_role("region", name="Problems").locator("tbody tr")
    expect(problems).to_have_count(2)
    expect(problems.first).to_contain_text("columns")
    expect(problems.last).to_contain_text("no-such-query")
    inspector.look(page, "every problem")


def look_at_the_run(page: Page, run: Run, inspector: Inspector) -> None:
    follow(page.get_by_role("navigation", name="Where you are").get_by_role("link", name="runs"))
    inspector.look(page, "the list of runs")
    page.get_by_role("link", name=run.run_tag).click()
    expect(page.get_by_role("region", name="Queries").locator("tbody tr")).to_have_count(QUERIES)
    inspector.look(page, "a run")
    assert page.evaluate(WIDER) == 0
    follow(page.get_by_role("link", name="Describe"))
    inspector.look(page, "describing a run")
    page.go_back()
    follow(page.get_by_role("link", name="Withdraw"))
    inspector.look(page, "withdrawing a run")


def look_at_webhooks(page: Page, address: str, inspector: Inspector) -> None:
    page.goto(f"{address}/collections/trec/settings/")
    follow(page.get_by_role("link", name="Webhooks"))
    inspector.look(page, "no webhooks")
    page.get_by_label("Address").fill("https://127.0.0.1:9/hook")
    page.get_by_role("button", name="Register the webhook").click()
    expect(page.get_by_text("Copy the secret now")).to_be_visible()
    inspector.look(page, "a new webhook")
    page.get_by_role("link", name="Open the webhook").click()
    page.get_by_role("button", name="Send a test").click()
    page.locator("summary", has_text="Content").click()
    expect(page.get_by_text('"type":"webhook.test"')).to_be_visible()
    inspector.look(page, "a webhook")
    page.get_by_role("button", name="Switch off").click()
    expect(page.get_by_role("button", name="Switch on")).to_be_visible()
    inspector.look(page, "a webhook that is off")


def test_a_collection_is_made_and_runs_are_sent(page, folder, live_server, settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True  # nothing leaves this machine
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    signed_in(page, live_server.url)
    inspector = Inspector()
    page.goto(live_server.url)
    inspector.look(page, "an empty site")

    make_collection(page, folder, inspector)
    send_runs(page, folder, inspector)

    run = Run.objects.get()
    assert (run.team, run.release) == ("harbourers", "private")
    assert RunUpload.objects.count() == 2
    look_at_the_run(page, run, inspector)
    look_at_webhooks(page, live_server.url, inspector)
    assert not inspector.faults, "\n".join(inspector.faults)
    assert complaints == []


def once_broken():
    """Break the connection at the first part, which is then resent automatically."""
    broken: list[str] = []

    def handle(route):
        if broken:
            route.continue_()
        else:
            broken.append(route.request.url)
            route.abort()

    return handle
