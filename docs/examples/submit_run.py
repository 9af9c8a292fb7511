"""Submit a run and print its rank: python3 submit_run.py COLLECTION FILE RUN_TAG [--release private|scores|public]

Reads PREFEREE (such as https://judging.example.org/api/v1) and PREFEREE_TOKEN (scopes read and runs) from the
environment. Without --release the run is private: only members of the collection see it. Details that a
board's policy requires are given by --team, --description, --detail subtask=rerank and so on (--help lists them).
--check checks the file against format and policy and submits nothing. Python's standard library is enough.
Exit status 1 with a reason when the run is refused; 0 when it was imported, even if it has no rank yet.
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

NOT_NOW = {429, 503}
#: Seconds for which a call is repeated while the server is busy or limits calls.
PATIENCE = 600
#: Facts about a run, and their meaning.
SAID = {
    "team": "who submits it",
    "description": "how it was made",
    "paper": "the address of its paper",
    "code": "the address of its code",
    "submitted_on": "its day, such as 2026-11-22 (default: today)",
    "variant_of": "the tag of the run that it is a variant of",
    "anonymous_until": "the last day on which its team is hidden, such as 2026-12-31",
}


def call(address: str, body: bytes | None = None, **headers: str) -> Any:
    """Return the answer to a call. Retries if the server is busy; a refusal ends the program with its message."""
    root, token = from_environment("PREFEREE").rstrip("/"), from_environment("PREFEREE_TOKEN")
    request = urllib.request.Request(root + address, body, {"Authorization": f"Bearer {token}", **headers})
    began = time.monotonic()
    while True:
        try:
            with urllib.request.urlopen(request, timeout=300) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refusal:
            if refusal.code in NOT_NOW and time.monotonic() < began + PATIENCE:
                time.sleep(int(refusal.headers.get("Retry-After", 2)))
                continue
            sys.exit(reason_of(refusal))
        except (urllib.error.URLError, ValueError) as error:
            sys.exit(f"{root} cannot be reached, or is not the API: {error}")


def reason_of(refusal: urllib.error.HTTPError) -> str:
    """Return why a call was refused. An answer that is not a problem document comes from another server."""
    try:
        said = json.load(refusal)
        return " ".join(filter(None, (said["title"] + ".", said.get("detail"), said.get("next_step"))))
    except (ValueError, KeyError, TypeError):
        return f"{refusal.url} answers {refusal.code}: does PREFEREE end in /api/v1?"


def from_environment(name: str) -> str:
    """Return an environment variable. Ends the program if it is missing."""
    if not os.environ.get(name):
        sys.exit(f"Set {name} in the environment.")
    return os.environ[name]


def problem_in_words(problem: dict[str, Any]) -> str:
    """Return a problem in words, with its line number. Line 0 stands for the whole file."""
    where = f"line {problem['line']}: " if problem["line"] else ""
    return f"{where}{problem['reason']} {problem['next_step']}".strip()


def rank_in_words(board: dict[str, Any], run_tag: str) -> str:
    """Return the run's rank and value in words, as far as they are shown.

    Both are by the preference labels or, if no version is published, by the official labels.
    """
    row = next((row for row in board["rows"] if row["run"] == run_tag), None)
    if row is None:
        return "imported; its rank is shown when it is released"
    side = "official" if board["version"] is None else "preference"
    low, high = row[f"{side}_low"], row[f"{side}_high"]
    bounds = "" if low is None else f" [{low:.3f}, {high:.3f}]"
    value = "" if row[side] is None else f" ({board['measure']} {row[side]:.4g}{bounds})"
    labels = board["official_set"] if board["version"] is None else f"version {board['version']}"
    judged = row.get("judged_tops")
    tops = "" if judged is None else f", {judged:.0%} of its tops judged"
    return f"rank {row[f'rank_{side}']} of {board['runs']}{value}, {labels}{tops}"


def arguments() -> argparse.Namespace:
    """Return the arguments: collection, file, run tag, and who can see the run."""
    parser = argparse.ArgumentParser(description="Submit a run and print its rank.")
    parser.add_argument("collection")
    parser.add_argument("file", type=Path)
    parser.add_argument("run_tag")
    parser.add_argument("--release", choices=["private", "scores", "public"], default="private")
    for name, meaning in SAID.items():
        parser.add_argument(f"--{name.replace('_', '-')}", default="", help=meaning)
    parser.add_argument(
        "--detail",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a detail such as subtask=rerank, neural=nnlm or dense=yes; can be repeated",
    )
    parser.add_argument("--baseline", action="store_true", help="it is a baseline of the team")
    parser.add_argument("--check", action="store_true", help="check the file and submit nothing")
    return parser.parse_args()


def main() -> None:
    """Send the run, wait until it is processed, and print the outcome."""
    given = arguments()
    collection, run_tag, content = given.collection, given.run_tag, given.file.read_bytes()
    said = {"file_name": given.file.name, "run_tag": run_tag, "release": given.release}
    said |= {name: getattr(given, name) for name in SAID if getattr(given, name)}
    said |= {"detail": given.detail} if given.detail else {}
    said |= {"check_only": "true"} if given.check else {}
    said |= {"baseline": "true"} if given.baseline else {}
    options = urllib.parse.urlencode(said, doseq=True)
    # The same file with the same options is the same upload, so running the program again does no harm. A refused
    # file is checked again.
    key = hashlib.sha256(content + options.encode()).hexdigest()
    headers = {"Idempotency-Key": key, "Content-Type": "application/octet-stream"}
    upload = call(f"/collections/{collection}/runs?{options}", content, **headers)
    told = ""
    while upload["state"] == "waiting":
        work = upload["work"] or {"state": "", "idle": ""}
        if work["state"] == "failed":
            sys.exit(f"{work['problem']} {work['next_step']}".strip())
        if work["idle"] != told and (told := work["idle"]):
            print(told, file=sys.stderr)
        time.sleep(2)
        upload = call(f"/collections/{collection}/uploads/{upload['id']}")
    if upload["state"] == "refused":
        more = sum(upload["problem_counts"].values()) - len(upload["problems"])
        lines = [*map(problem_in_words, upload["problems"])] + [
            f"Problems that are not listed: {more:,}."
        ] * (more > 0)
        sys.exit("\n".join(lines))
    if given.check:
        report = upload["report"]
        print(f"{run_tag}: passed the check: {report['lines']:,} lines, {report['queries']:,} queries")
        print("\n".join(f"warning: {warning}" for warning in report["warnings"]), file=sys.stderr)
        return
    if not call(f"/collections/{collection}/qrel-sets"):
        print(f"{run_tag}: imported; there are no labels yet to score it under")
        return
    print(f"{run_tag}: {rank_in_words(call(f'/collections/{collection}/leaderboard'), run_tag)}")


if __name__ == "__main__":
    main()
