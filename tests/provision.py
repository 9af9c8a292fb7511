"""Find or start the servers for tests and benchmarks: PostgreSQL, Redis, Chromium.

A server at the configured address is used. Otherwise, a private instance is started in a temporary folder and
stopped with this process; Debian's packages are installed if that is allowed, or an error names the missing
packages.
"""

import atexit
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

DEFAULT_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
DEFAULT_REDIS = "redis://127.0.0.1:6379/0"


def postgres_address(configured: str | None = None, *, name: str) -> str:
    """Return the address of a PostgreSQL server; ``name`` is the database from which tests derive theirs."""
    candidates = [configured] if configured and configured.startswith("postgres") else []
    for address in [*candidates, DEFAULT_POSTGRES]:
        if _postgres_answers(address):
            return address if address == configured else f"{address.rpartition('/')[0]}/{name}"
    return f"{_start_postgres()}/{name}"


def redis_address(configured: str | None = None) -> str:
    """Return the address of a Redis server."""
    for address in filter(None, [configured, DEFAULT_REDIS]):
        if _redis_answers(address):
            return address
    return _start_redis()


def chromium() -> str:
    """Return the path of Chromium's executable.

    Its headless shell is the same engine without the full browser's windows, and opens in a quarter of the time.
    The full browser works as well.
    """
    if path := _program(os.environ.get("PREFEREE_CHROMIUM"), "chromium-headless-shell"):
        return path
    full = _program("chromium", "chromium-browser", "google-chrome")
    if _may_install():
        try:
            _install("chromium-headless-shell")
        except SystemExit:  # this release of Debian does not have it
            if not full:
                _install("chromium")
    return _program("chromium-headless-shell", "chromium") or full or _stop("chromium")


def _program(*names: str | None) -> str | None:
    return next((path for name in names if name and (path := shutil.which(name))), None)


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _postgres_answers(address: str) -> bool:
    import psycopg

    server = f"{address.rpartition('/')[0].replace('postgres://', 'postgresql://')}/postgres"
    try:
        with psycopg.connect(server, connect_timeout=2) as connection:
            allowed = connection.execute(
                "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            return bool(allowed and allowed[0])
    except psycopg.Error:
        return False


def _redis_answers(address: str) -> bool:
    place = urlsplit(address)
    try:
        with socket.create_connection((place.hostname or "", place.port or 6379), timeout=1) as line:
            line.sendall(b"PING\r\n")
            return line.recv(100).startswith(b"+PONG")
    except OSError:
        return False


def _start_postgres() -> str:
    programs = _postgres_programs()
    if programs is None:
        _install("postgresql")
        programs = _postgres_programs() or Path(_stop("postgresql"))
    folder = Path(tempfile.mkdtemp(prefix="preferee-postgres-"))
    port = free_port()
    prefix: list[str] = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, "postgres")
        prefix = ["runuser", "-u", "postgres", "--"]
    data = folder / "data"
    _run(
        [
            *prefix,
            str(programs / "initdb"),
            "-D",
            str(data),
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ]
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [*prefix, str(programs / "pg_ctl"), "-D", str(data), "-w"]
    _run([*control, "-l", str(folder / "log"), "-o", options, "start"])

    def end() -> None:
        subprocess.run([*control, "-m", "immediate", "stop"], capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return f"postgres://postgres@127.0.0.1:{port}"


def _postgres_programs() -> Path | None:
    if path := shutil.which("initdb"):
        return Path(path).parent
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return Path(found[-1]).parent if found else None


def _start_redis() -> str:
    program = shutil.which("redis-server")
    if program is None:
        _install("redis-server")
        program = shutil.which("redis-server") or _stop("redis-server")
    port = free_port()
    process = subprocess.Popen(
        [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )
    atexit.register(process.terminate)
    address = f"redis://127.0.0.1:{port}/0"
    for _ in range(1200):
        if _redis_answers(address):
            return address
        time.sleep(0.05)
    return _stop("redis-server")


def _may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _install(package: str) -> None:
    if not _may_install():
        _stop(package)
    print(f"Installing Debian's package {package} …", file=sys.stderr)  # noqa: T201 -- said before a long wait
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # An installed package must not start its own server in the background.
    subprocess.run(["apt-get", "update", "-q"], env=environment, stdout=subprocess.DEVNULL, check=False)
    _run(["apt-get", "install", "-y", "-q", "--no-install-recommends", package], environment)


def _run(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])} … failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def _stop(package: str) -> str:
    raise SystemExit(
        f"{package} is needed and not installed. Install it (on Debian: apt-get install {package}), "
        "or name a running server in DATABASE_URL, REDIS_URL or PREFEREE_CHROMIUM."
    )
