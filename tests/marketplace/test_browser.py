"""A person takes and submits a task in Chromium; its page is in a sandboxed frame of another origin."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from tests.contract.endpoint import QUESTION, make_client, make_hit, start_marketplace
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.browser

TASK_PAGE = b"""<!doctype html><title>Task</title><p id="cookies">?</p><p id="key"></p>
<form method="post"><input name="assignmentId"><input name="choice" value="left"><button>Submit</button>
</form>
<script>
  const query = new URLSearchParams(location.search);
  document.forms[0].action = query.get("turkSubmitTo") + "/mturk/externalSubmit";
  document.forms[0].elements.assignmentId.value = query.get("assignmentId");
  document.addEventListener("keydown", ({ key }) => { document.getElementById("key").textContent = key; });
  try { document.cookie = "a=1"; } catch { document.getElementById("cookies").textContent = "none"; }
</script>"""


class TaskPage(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(TASK_PAGE)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def task_page():
    server = ThreadingHTTPServer(("127.0.0.1", 0), TaskPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def marketplace(tmp_path):
    import json

    process, port = start_marketplace(tmp_path)
    yield json.loads((tmp_path / "marketplace-key.json").read_text())
    process.terminate()
    process.wait(timeout=PATIENCE_SECONDS)


def test_a_person_takes_and_hands_in_two_tasks(marketplace, task_page, page):
    crowd = make_client(marketplace["endpoint"], marketplace["access_key"], marketplace["secret_key"])
    values = {"Title": "Compare", "Description": "d", "Reward": "2.00", "AssignmentDurationInSeconds": 600}
    hit_type = crowd.create_hit_type(**values)["HITTypeId"]
    question = QUESTION.replace("https://judge.example", task_page)
    hits = [make_hit(crowd, hit_type, Question=question)["HITId"] for _ in range(2)]
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)

    page.goto(marketplace["endpoint"])
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("Name to sign in with").fill("ada")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="Compare").click()
    page.get_by_label("Start the next task automatically").check()
    page.get_by_role("button", name="Take a task for $2.00").click()
    frame = page.frame_locator("#task-frame")
    expect(frame.locator("#cookies")).to_have_text("none")
    first = page.url
    # Keys reach the task without a click, also after a reload.
    page.reload()
    page.keyboard.press("1")
    expect(frame.locator("#key")).to_have_text("1")
    frame.get_by_role("button", name="Submit").click()

    # The script notices, shows "Handed in" and, as requested, takes the next task automatically.
    expect(page.locator("main[data-page=task]")).not_to_have_attribute(
        "data-assignment", first.split("/")[-2]
    )
    page.frame_locator("#task-frame").get_by_role("button", name="Submit").click()
    expect(page.locator('[data-refusal="none_left"]')).to_be_visible(timeout=60_000)

    assert all(crowd.list_assignments_for_hit(HITId=hit)["NumResults"] == 1 for hit in hits)
    assert [text for text in complaints if "409" not in text] == []
    crowd.close()
