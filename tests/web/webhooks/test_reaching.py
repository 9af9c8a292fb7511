"""Messages are sent only to the public internet over HTTPS, and to the address that was checked."""

import random
import socket
import ssl
import subprocess
import threading

import pytest

from tests.web.webhooks.conftest import listening, send
from web.errors import AddressRefused
from web.models import WebhookDelivery
from web.webhooks import delivery as delivering, endpoints, posts as posting, reachable_addresses as reaching
from web.webhooks.posts import post


@pytest.fixture
def names(monkeypatch):
    """Set DNS answers: name → results of successive look-ups; the last one is repeated."""
    answers: dict[str, list[list[str]]] = {}
    real = socket.getaddrinfo

    def looked_up(host, port, *rest, **named):
        if host not in answers:
            return real(host, port, *rest, **named)
        found = answers[host].pop(0) if len(answers[host]) > 1 else answers[host][0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port)) for number in found]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    return answers


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://93.184.216.34/hook", "https://"),
        ("ftp://example.org/", "https://"),
        ("https:///hook", "https://"),
        ("https://", "https://"),
        ("/hook", "https://"),
        ("", "https://"),
        ("https://ada:pass@93.184.216.34/", "user name"),
        ("https://93.184.216.34/#part", "fragment"),
        ("https://93.184.216.34:0/", "https://"),
        ("https://93.184.216.34:99999/", "Invalid address"),
        ("https://[::1/", "Invalid address"),
        ("https://93.184.216.34/a b", "spaces"),
        ("https://93.184.216.34/\r\nX-More: 1", "spaces"),
        ("https://bücher.example/", "ASCII"),
        ("https://93.184.216.34/" + "x" * 500, "500 characters"),
        ("https://" + "a" * 70 + ".example/", "not a valid host name"),
        *[
            (f"https://{inner}/", "not public")
            for inner in (
                "127.0.0.1",
                "localhost",
                "0.0.0.0",
                "10.1.2.3",
                "172.16.0.1",
                "192.168.1.1",
                "169.254.169.254",
                "100.64.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "2130706433",
                "[::1]",
                "[::]",
                "[fe80::1]",
                "[fd00::1]",
                "[::ffff:127.0.0.1]",
                "[64:ff9b::10.0.0.1]",
                "[2002:7f00:1::]",
                "[2002:5db8:d822::1]",
                "[2001:0:5db8:d822::1]",
                "[::ffff:0:127.0.0.1]",
                "[::127.0.0.1]",
                "[64:ff9b:1::10.0.0.1]",
                "[64:ff9b::192.0.0.9]",
                "[fec0::1]",
                "[3fff::1]",
                "[3ffe::1]",
                "[5f00::1]",
                "[100::1]",
                "[2001:20::1]",
                "[2001:db8::1]",
                "192.0.0.9",
                "192.0.0.170",
                "192.88.99.1",
                "198.18.0.1",
                "100.64.0.1",
                "240.0.0.1",
                "0.0.0.0",
            )
        ],
    ],
)
def test_addresses_that_messages_do_not_go_to(address, reason):
    with pytest.raises(AddressRefused) as refused:
        reaching.look_up(address)

    assert reason in str(refused.value)


@pytest.mark.parametrize(
    "number",
    [
        "93.184.216.34",
        "2606:2800:220:1::1",
        "64:ff9b::5db8:d822",
        "::ffff:93.184.216.34",
        "192.0.1.1",
        "2a00:1450::1",
    ],
)
def test_what_is_public(number):
    assert reaching.is_public(number)


def test_a_name_with_one_inner_address_among_others_is_refused(names):
    names["hooks.example"] = [["93.184.216.34", "10.0.0.1"]]

    with pytest.raises(AddressRefused, match="not public"):
        reaching.look_up("https://hooks.example/")


def test_inner_addresses_take_no_https_where_they_are_allowed(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True

    inner = reaching.look_up("http://127.0.0.1:9/hook?x=1")

    assert (inner.reached_at, inner.port, inner.path, inner.public) == (("127.0.0.1",), 9, "/hook?x=1", False)
    with pytest.raises(AddressRefused, match="private addresses"):
        reaching.look_up("http://93.184.216.34/")


@pytest.mark.django_db
def test_a_name_that_leads_inside_later_is_not_followed(harbour, owner, names):
    """DNS rebinding: a public address at registration, the loopback at delivery."""
    with listening() as inside:
        port = inside.address.rstrip("/").rpartition(":")[2]
        names["rebind.example"] = [["93.184.216.34"], ["127.0.0.1"]]
        made = endpoints.register_endpoint(
            collection=harbour.collection,
            address=f"https://rebind.example:{port}/",
            events=["version.published"],
            user=owner,
        )
        harbour.publish()

        send(made.endpoint)

        assert inside.got == []
    assert (
        WebhookDelivery.objects.get().problem == "rebind.example resolves to an address that is not public."
    )


def test_the_connection_goes_to_the_address_that_was_looked_at(names, settings):
    """The second look-up, which a library would do to connect, never happens."""
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with listening() as receiver:
        port = receiver.address.rstrip("/").rpartition(":")[2]
        names["twice.example"] = [["127.0.0.1"], ["192.0.2.1"]]

        reply = post(f"http://twice.example:{port}/", b"{}", {})

    assert reply.code == 204
    assert receiver.got[0].headers["host"] == f"twice.example:{port}"


def test_the_next_address_of_a_name_is_tried_when_one_refuses(names, settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with listening() as receiver:
        port = receiver.address.rstrip("/").rpartition(":")[2]
        names["two.example"] = [["127.0.0.2", "127.0.0.1"]]

        assert post(f"http://two.example:{port}/", b"{}", {}).code == 204


def test_an_address_that_takes_too_long_to_reach_gets_nothing(names, settings, monkeypatch):
    """The time limit ends before there is a connection to close."""
    settings.WEBHOOK_PRIVATE_ADDRESSES, settings.WEBHOOK_TIMEOUT_SECONDS = True, 0.1
    cut, reach = threading.Event(), socket.create_connection
    cut_off = posting._Pinned.cut_off
    monkeypatch.setattr(posting._Pinned, "cut_off", lambda one: (cut_off(one), cut.set()))
    monkeypatch.setattr(
        socket, "create_connection", lambda *args, **named: cut.wait(5) and reach(*args, **named)
    )
    with listening() as receiver:
        reply = post(receiver.address, b"{}", {})

    assert reply.problem == "No answer within 0.1 seconds."
    assert receiver.got == []


def test_a_short_part_of_a_response_is_stored_and_none_of_internal_ones(settings, monkeypatch):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with listening() as receiver:
        receiver.replies = [200, 200]
        inner = post(receiver.address, b"{}", {})
        monkeypatch.setattr(posting, "look_up", _public)
        outer = post(receiver.address, b"{}", {})

    assert (inner.code, inner.text) == (200, "")
    assert outer.text.startswith("said <b>the</b> receiver.")
    assert len(outer.text) == 1000


def test_an_endless_response_is_cut_off_and_counts_as_delivered(settings, monkeypatch):
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.3
    monkeypatch.setattr(posting, "look_up", _public)
    with listening() as receiver:
        receiver.replies = ["drip body"]
        reply = post(receiver.address, b"{}", {})
        still_open = not receiver.over.is_set()

    assert (reply.code, reply.problem, still_open) == (200, "", True)
    assert set(reply.text) <= {"x"}


def _public(address: str) -> reaching.Target:
    port = int(address.rstrip("/").rpartition(":")[2])
    return reaching.Target("http", "127.0.0.1", port, "/", ("127.0.0.1",), True)


def test_a_closed_port_is_reported(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]

    assert post(f"http://127.0.0.1:{port}/", b"", {}).problem.startswith("The connection was refused")


def test_a_certificate_that_nobody_vouches_for_is_refused(settings, tmp_path):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    pair = [tmp_path / "key.pem", tmp_path / "cert.pem"]
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout"]
    subprocess.run([*words, str(pair[0]), "-out", str(pair[1])], check=True, capture_output=True)
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(pair[1], pair[0])
    with listening(served) as receiver:
        reply = post(receiver.address, b"{}", {})

    assert reply.problem == "The certificate is not valid: self-signed certificate."
    assert receiver.got == []


@pytest.mark.django_db
def test_webhooks_to_private_addresses_stop_when_the_setting_is_off(harbour, hook, receiver, settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = False
    harbour.publish()

    delivering.write_messages()
    delivering.deliver_due(hook.pk, rng=random.Random(1))

    assert receiver.got == []
    assert WebhookDelivery.objects.get().reply_code is None
