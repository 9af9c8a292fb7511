"""`make test` and `make soak`: the stages of tests/stages.py, each a run of pytest."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field

from tests import provision
from tests.stages import LANES, Stage


@dataclass
class Report:
    """The outcomes of the stages. Each stage's output is printed at its end; the first lane's while it runs."""

    arguments: list[str]
    statuses: dict[str, tuple[int, float]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, stage: Stage, environment: dict[str, str], *, seen: bool) -> None:
        """Run a stage and record its outcome."""
        started = time.monotonic()
        command = [*stage.command(len(os.sched_getaffinity(0))), *self.arguments]
        with tempfile.TemporaryFile("w+") as output:
            if seen:
                print(f"== {stage.name}", flush=True)  # noqa: T201
            into = None if seen else output
            done = subprocess.run(command, env=environment, stdout=into, stderr=into, check=False)
            with self.lock:
                # pytest's exit status 5: the named tests are not in this stage but in another.
                status = 0 if done.returncode == 5 and self.arguments else done.returncode
                self.statuses[stage.name] = (status, time.monotonic() - started)
                if not seen:
                    output.seek(0)
                    print(f"\n== {stage.name}\n{output.read()}", flush=True)  # noqa: T201

    def close(self) -> int:
        """Print each stage's outcome; return the worst exit status."""
        for name, (status, seconds) in self.statuses.items():
            ended = "passed" if status == 0 else f"failed ({status})"
            print(f"== {name}: {ended} in {seconds:.0f} s")  # noqa: T201
        return max(abs(status) for status, _ in self.statuses.values())


def main(kind: str, arguments: list[str]) -> int:
    """Run every stage; return the worst exit status."""
    os.environ["PREFEREE_CHROMIUM"] = provision.chromium()
    os.environ["REDIS_URL"] = provision.redis_address(os.environ.get("REDIS_URL"))
    name = f"preferee_{os.getpid()}"
    server = provision.postgres_address(os.environ.get("DATABASE_URL"), name=name)
    report = Report(arguments)

    def run(lane: list[Stage], *, seen: bool) -> None:
        for stage in lane:
            chosen = {"PREFEREE_TEST_ON": stage.database, "PREFEREE_TEST_ONLY": stage.only}
            # Both kinds of tests run at once, each in its own databases.
            addresses = {"DATABASE_URL": server, "MARKETPLACE_DATABASE_URL": f"{server}_marketplace"}
            report.run(stage, {**os.environ, **chosen, **addresses}, seen=seen)

    first, *others = LANES[kind]
    beside = [threading.Thread(target=run, args=(lane,), kwargs={"seen": False}) for lane in others]
    for thread in beside:
        thread.start()
    run(first, seen=True)
    for thread in beside:
        thread.join()
    return report.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
