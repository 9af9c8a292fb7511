"""The proxies' configuration files, tested with the proxies if they are installed."""

import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from tests.provision import free_port
from tests.test_deploy import DEPLOY


def test_metrics_are_for_the_machine_itself():
    assert re.search(r"location = /metrics \{\s*return 404;", (DEPLOY / "nginx.conf").read_text())
    assert "respond /metrics 404" in (DEPLOY / "Caddyfile").read_text()


class Behind(BaseHTTPRequestHandler):
    """Replaces Preferee behind the proxy: returns the request that it received."""

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        words = json.dumps(
            {"body": len(self.rfile.read(length)), "scheme": self.headers["X-Forwarded-Proto"]}
        )
        self.send_response(200)
        self.end_headers()
        self.wfile.write(words.encode())

    do_GET = do_POST

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def proxy(tmp_path):
    """nginx with our file, except ports, certificate and folder; yields (address over HTTP, over HTTPS)."""
    if not shutil.which("nginx") or not shutil.which("openssl"):
        pytest.skip("nginx is not here")
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run(
        [*key, "-keyout", tmp_path / "key", "-out", tmp_path / "cert"], check=True, capture_output=True
    )
    behind = ThreadingHTTPServer(("127.0.0.1", 0), Behind)
    threading.Thread(target=behind.serve_forever, daemon=True).start()
    plain, secure = free_port(), free_port()
    text = (DEPLOY / "nginx.conf").read_text()
    text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.M)
    for what, by in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ": f"listen 127.0.0.1:{secure} ",
        "127.0.0.1:8410": f"127.0.0.1:{behind.server_port}",
        "/var/log/nginx/": f"{tmp_path}/",
    }.items():
        assert what in text
        text = text.replace(what, by)
    text = re.sub(r"/etc/letsencrypt/\S+fullchain.pem", str(tmp_path / "cert"), text)
    text = re.sub(r"/etc/letsencrypt/\S+privkey.pem", str(tmp_path / "key"), text)
    temp = "".join(
        f"{name}_temp_path {tmp_path}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "nginx.conf").write_text(
        f"{'user root;' if os.getuid() == 0 else ''} worker_processes 1; pid {tmp_path}/pid; daemon off; "
        f"error_log {tmp_path}/start.log; "
        f"events {{}} http {{ access_log {tmp_path}/access.log; {temp} {text} }}"
    )
    command = ["nginx", "-p", tmp_path, "-c", tmp_path / "nginx.conf"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    process = subprocess.Popen(command)
    for port in (
        plain,
        secure,
    ):  # the check above leaves a pid file, too, so only a response shows that it serves
        while not _answers(port):
            assert process.poll() is None
            time.sleep(0.05)
    yield f"http://127.0.0.1:{plain}", f"https://127.0.0.1:{secure}"
    process.terminate()
    process.wait(10)
    behind.shutdown()
    behind.server_close()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_nginx_logs_no_secret_and_takes_large_bodies_from_senders_who_are_known(proxy, tmp_path):
    plain, secure = proxy
    body, host = b"-" * 1_100_000, {"Host": "judging.example.org"}
    with httpx.Client(verify=False, headers=host) as client:
        for address in (plain, secure):
            client.get(f"{address}/judge/TOKEN-OF-A-WORKER/?workerId=AWORKER")
        for path in (
            "accounts/invitations/INVITED/",
            "accounts/password/reset/key/RESET-KEY/",
            "campaigns/first/",
        ):
            client.get(f"{secure}/{path}?next=PARAMETER", headers={"Referer": f"{secure}/came-from/INVITED"})
        refused = [
            client.post(f"{secure}/campaigns/", content=body).status_code,
            client.post(f"{secure}/campaigns/", content=iter([body])).status_code,
            client.post(f"{secure}/judge/TOKEN-OF-A-WORKER/", content=body).status_code,
            client.get(f"{secure}/metrics").status_code,
        ]
        form = client.post(f"{secure}/campaigns/", content=b"name=first").json()
        known = [
            client.post(f"{secure}/campaigns/", content=body, headers=given).json()["body"]
            for given in ({"Cookie": "__Host-sessionid=x"}, {"Authorization": "Bearer x"})
        ]

    logged = "".join(path.read_text() for path in tmp_path.glob("*.log"))
    assert refused == [413, 413, 413, 404]
    assert form == {"body": 10, "scheme": "https"}
    assert known == [len(body), len(body)]
    assert "GET /accounts/invitations/*** HTTP" in logged
    assert "GET /campaigns/first/ HTTP" in logged
    for secret in ("TOKEN-OF-A-WORKER", "AWORKER", "INVITED", "RESET-KEY", "PARAMETER"):
        assert secret not in logged


@pytest.mark.skipif(not shutil.which("caddy"), reason="Caddy is not here")
def test_caddy_reads_its_file():
    command = ["caddy", "adapt", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile"]
    read = subprocess.run(command, check=True, capture_output=True).stdout

    assert b"reverse_proxy" in json.dumps(json.loads(read)["apps"]["http"]["servers"]).encode()
