"""`make test`: the whole suite, on PostgreSQL with Redis and on SQLite with the embedded parts."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from tests import provision

STAGES = {
    "product on PostgreSQL and Redis": ("postgres", []),
    "marketplace on PostgreSQL": ("postgres", ["tests/marketplace", "--ds=config.marketplace_settings"]),
    "product on SQLite, embedded parts": ("sqlite", []),
    "marketplace on SQLite": ("sqlite", ["tests/marketplace", "--ds=config.marketplace_settings"]),
}


def main(arguments: list[str]) -> int:
    """Run every stage; the worst exit status is ours."""
    os.environ["PREFEREE_CHROMIUM"] = provision.chromium()
    os.environ["REDIS_URL"] = provision.redis_address(os.environ.get("REDIS_URL"))
    server = provision.postgres_address(os.environ.get("DATABASE_URL"), name=f"preferee_{os.getpid()}")
    statuses: dict[str, tuple[int, float]] = {}
    for name, (database, paths) in STAGES.items():
        print(f"== {name}", flush=True)  # noqa: T201
        started = time.monotonic()
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            "--dist",
            "loadgroup",
            "--durations=15",
            *paths,
            *arguments,
        ]
        environment = {**os.environ, "PREFEREE_TEST_ON": database}
        if database == "sqlite":
            environment["PREFEREE_TEST_ONLY"] = "database"
        environment |= {"DATABASE_URL": server, "MARKETPLACE_DATABASE_URL": server}
        statuses[name] = (
            subprocess.run(command, env=environment, check=False).returncode,
            time.monotonic() - started,
        )
    for name, (status, seconds) in statuses.items():
        print(f"== {name}: {'passed' if status == 0 else f'failed ({status})'} in {seconds:.0f} s")  # noqa: T201
    return max(abs(status) for status, _ in statuses.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
