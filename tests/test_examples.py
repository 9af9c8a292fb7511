"""The documentation's script that submits a run from a CI job."""

import json
import runpy
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "docs" / "examples" / "submit_run.py"
UPLOAD = {"id": 1, "state": "imported"}
ROW = {"run": "mine", "rank_preference": 1, "preference": 0.5, "preference_low": 0.4, "preference_high": 0.6}
BOARD = {"rows": [ROW | {"judged_tops": 1}], "runs": 2, "measure": "compatibility", "version": 1}
WITHHELD = ROW | {"preference_low": None, "preference_high": None, "judged_tops": None}
ALONE = {"run": "mine", "rank_official": 2, "official": None, "official_low": None, "official_high": None}


class Scripted(BaseHTTPRequestHandler):
    """Answers each call with the server's next answer to it; the last one is repeated."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        answers = self.server.answers[self.path.partition("?")[0].rpartition("/")[2]]  # type: ignore[attr-defined]
        status, content = answers.pop(0) if len(answers) > 1 else answers[0]
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(status)
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def server(monkeypatch, tmp_path):
    with HTTPServer(("127.0.0.1", 0), Scripted) as server:
        server.asked = []
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        monkeypatch.setenv("PREFEREE", f"http://127.0.0.1:{server.server_port}/api/v1")
        monkeypatch.setenv("PREFEREE_TOKEN", "pfr_x")
        (tmp_path / "run.txt").write_text("q1 Q0 p1 1 1 mine\n")
        monkeypatch.setattr("sys.argv", ["submit_run.py", "harbour", str(tmp_path / "run.txt"), "mine"])
        yield server
        server.shutdown()


@pytest.mark.parametrize(
    ("sets", "board", "said"),
    [
        ([], {}, "mine: imported; there are no labels yet to score it under\n"),
        (
            [{"name": "official"}],
            {},
            "mine: rank 1 of 2 (compatibility 0.5 [0.400, 0.600]), version 1, 100% of its tops judged\n",
        ),
        ([{"name": "official"}], {"rows": [WITHHELD]}, "mine: rank 1 of 2 (compatibility 0.5), version 1\n"),
        (
            [{"name": "official"}],
            {"rows": [ALONE], "version": None, "official_set": "official"},
            "mine: rank 2 of 2, official\n",
        ),
        ([{"name": "official"}], {"rows": []}, "mine: imported; its rank is shown when it is released\n"),
    ],
)
def test_an_imported_run_is_a_success_with_or_without_a_rank(server, capsys, sets, board, said):
    server.answers = {
        "runs": [(201, UPLOAD)],
        "qrel-sets": [(200, sets)],
        "leaderboard": [(503, {"title": "Temporarily unavailable"}), (200, BOARD | board)],
    }

    runpy.run_path(str(SCRIPT), run_name="__main__")

    assert capsys.readouterr().out == said


def test_details_required_by_a_policy_are_sent(server, monkeypatch):
    server.answers = {"runs": [(429, {"title": "Too many calls"}), (201, UPLOAD)], "qrel-sets": [(200, [])]}
    monkeypatch.setattr(
        "sys.argv", [*sys.argv, "--team", "harbourers", "--baseline", "--detail", "family=dense"]
    )

    runpy.run_path(str(SCRIPT), run_name="__main__")

    assert "team=harbourers&detail=family%3Ddense&baseline=true" in server.asked[-2]


def test_a_check_submits_nothing(server, monkeypatch, capsys):
    report = {"lines": 6980, "queries": 698, "warnings": ["2 queries of the collection have no answer"]}
    server.answers = {"runs": [(201, UPLOAD | {"state": "checked", "report": report})]}
    monkeypatch.setattr("sys.argv", [*sys.argv, "--check"])

    runpy.run_path(str(SCRIPT), run_name="__main__")

    assert "check_only=true" in server.asked[-1]
    said = capsys.readouterr()
    assert "passed the check: 6,980 lines, 698 queries" in said.out
    assert "2 queries of the collection have no answer" in said.err


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("PREFEREE_TOKEN", "", "Set PREFEREE_TOKEN in the environment."),
        ("PREFEREE", "http://127.0.0.1:9/api/v1", "cannot be reached"),
    ],
)
def test_connection_errors_are_one_line(server, monkeypatch, variable, value, reason):
    monkeypatch.setenv(variable, value)

    with pytest.raises(SystemExit, match=reason):
        runpy.run_path(str(SCRIPT), run_name="__main__")
