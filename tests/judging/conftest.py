"""The cast of the judging tests."""

import shutil
import ssl
import subprocess
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core.wsgi import get_wsgi_application

from judging import crowds
from judging.models import Campaign
from tests.judging import saved
from tests.judging.cast import Fair
from tests.judging.fake_crowd import FakeCrowd
from tests.judging.visitor import CROWD_SITE, Visitor


@pytest.fixture
def crowd(monkeypatch) -> FakeCrowd:
    """The fake panel, used by campaigns with the crowd "fake"."""
    panel = FakeCrowd()
    monkeypatch.setitem(crowds.FACTORIES, "fake", lambda endpoint: panel)
    return panel


@pytest.fixture
def fair(crowd, db) -> Fair:
    """Four queries of three passages: twelve pairs, four tasks of three."""
    return saved.fair_of(crowd)


@pytest.fixture
def crowd_site(settings) -> str:
    """Allow only this site for frames and forms."""
    settings.CROWD_HOSTS = [CROWD_SITE]
    return CROWD_SITE


@pytest.fixture
def campaign(fair) -> Campaign:
    """The fair's campaign, launched, with its places offered."""
    return saved.campaign_of(fair)


@pytest.fixture
def martha(crowd, campaign) -> Visitor:
    """A visitor who took a place of the campaign."""
    return Visitor(crowd, campaign)


class Quiet(WSGIRequestHandler):
    """Answers without a log."""

    def log_message(self, *_) -> None:
        pass


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """Return (certificate, key) of a site at an address that is not this machine's own name."""
    folder = tmp_path_factory.mktemp("certificate")
    openssl = shutil.which("openssl")
    assert openssl, "the tests make a certificate with openssl"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=pages -addext subjectAltName=IP:0.0.0.0"
    files = ["-out", str(folder / "certificate.pem"), "-keyout", str(folder / "key.pem")]
    subprocess.run([openssl, *words.split(), *files], check=True, capture_output=True)
    return folder / "certificate.pem", folder / "key.pem"


@pytest.fixture
def pages(certificate, settings, monkeypatch):
    """Serve the product's pages over real HTTPS at the public address. Returns that address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = make_server("0.0.0.0", 0, get_wsgi_application(), handler_class=Quiet)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    settings.PUBLIC_URL = f"https://0.0.0.0:{server.server_port}"
    settings.ALLOWED_HOSTS = ["0.0.0.0"]
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    yield settings.PUBLIC_URL
    server.shutdown()
    server.server_close()
    thread.join()
