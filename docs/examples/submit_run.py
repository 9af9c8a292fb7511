"""Submit a run and print its rank: python3 submit_run.py COLLECTION FILE RUN_TAG [--release private|scores|public]

Reads PREFEREE (such as https://judging.example.org/api/v1) and PREFEREE_TOKEN (scopes read and runs) from the
environment. Without --release the run is private: only members of the collection see it. Python's standard library is
enough. Exit status 1 with a reason when the run is refused; 0 when it was imported and nothing is published yet.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

ROOT = os.environ["PREFEREE"].rstrip("/")
TOKEN = os.environ["PREFEREE_TOKEN"]
NOT_NOW = 503
#: Seconds that a call is asked again for when the server says "not now".
PATIENCE = 600


def call(address: str, body: bytes | None = None, **headers: str) -> Any:
    """The answer of a call, asked for again at "not now"; a refusal ends the program with its words."""
    request = urllib.request.Request(ROOT + address, body, {"Authorization": f"Bearer {TOKEN}", **headers})
    began = time.monotonic()
    while True:
        try:
            with urllib.request.urlopen(request, timeout=300) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refusal:
            if refusal.code == NOT_NOW and time.monotonic() < began + PATIENCE:
                time.sleep(int(refusal.headers.get("Retry-After", 2)))
                continue
            said = json.load(refusal)
            sys.exit(" ".join(filter(None, (said["title"] + ".", said.get("detail"), said.get("next_step")))))


def in_words(problem: dict[str, Any]) -> str:
    """What is wrong, and in which line; line 0 is the file as a whole."""
    where = f"line {problem['line']}: " if problem["line"] else ""
    return f"{where}{problem['reason']} {problem['next_step']}".strip()


def arguments() -> argparse.Namespace:
    """What is sent where, and who sees it there."""
    parser = argparse.ArgumentParser(description="Submit a run and print its rank.")
    parser.add_argument("collection")
    parser.add_argument("file", type=Path)
    parser.add_argument("run_tag")
    parser.add_argument("--release", choices=["private", "scores", "public"], default="private")
    return parser.parse_args()


def main() -> None:
    """Send, wait, print."""
    given = arguments()
    collection, run_tag, content = given.collection, given.run_tag, given.file.read_bytes()
    # The same file under the same tag is the same upload, so a job that is run again does no harm.
    key = hashlib.sha256(content + f"{run_tag} {given.release}".encode()).hexdigest()
    said = {"file_name": given.file.name, "run_tag": run_tag, "release": given.release}
    options = urllib.parse.urlencode(said)
    headers = {"Idempotency-Key": key, "Content-Type": "application/octet-stream"}
    upload = call(f"/collections/{collection}/runs?{options}", content, **headers)
    while upload["state"] == "waiting":
        time.sleep(2)
        upload = call(f"/collections/{collection}/uploads/{upload['id']}")
    if upload["state"] == "refused":
        sys.exit("\n".join(map(in_words, upload["problems"])))
    if not call(f"/collections/{collection}/versions"):
        print(f"{run_tag}: imported; nothing is published yet, so that there is no rank")
        return
    board = call(f"/collections/{collection}/leaderboard")
    row = next(row for row in board["rows"] if row["run"] == run_tag)
    print(
        f"{run_tag}: rank {row['rank_preference']} of {board['runs']} "
        f"({board['measure']} {row['preference']:.4f} [{row['preference_low']:.3f}, {row['preference_high']:.3f}]), "
        f"version {board['version']}, {row['judged_tops']:.0%} of its tops judged"
    )


if __name__ == "__main__":
    main()
