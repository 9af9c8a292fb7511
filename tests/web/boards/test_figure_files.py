"""Figures as files, from the links on a page, in each format."""

import html
import re
from xml.etree import ElementTree

import pytest
from django.test import Client

SVG = "{http://www.w3.org/2000/svg}"
FIRST_BYTES = {"pdf": b"%PDF-", "png": b"\x89PNG\r\n\x1a\n"}
TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
BOARD = "/collections/harbour/leaderboard/"


def links(page: str, form: str) -> list[str]:
    return [html.unescape(one) for one in re.findall(rf'href="([^"]+\.{form}\?[^"]*)"', page)]


@pytest.mark.parametrize("form", TYPES)
def test_every_figure_of_the_board_downloads_in_each_format(published, form):
    found = links(Client().get(BOARD).content.decode(), form)

    assert found
    for address in found:
        reply = Client().get(address)
        content = b"".join(reply)
        assert reply.status_code == 200, address
        assert reply["Content-Type"] == TYPES[form]
        assert re.fullmatch(rf'attachment; filename="[\w.-]+\.{form}"', reply["Content-Disposition"])
        if form == "svg":
            root = ElementTree.fromstring(content)
            assert root.tag == f"{SVG}svg"
            assert root.find(f"{SVG}title") is not None
            drawn = set(re.findall(r"<!-- (.*?) -->", content.decode()))  # texts are drawn as paths
            assert drawn >= {"quay", "mole"} or "of=panels" not in address
            assert b"deep" not in content  # a private run, for members
            assert not root.findall(f".//{SVG}script")
        else:
            assert content.startswith(FIRST_BYTES[form])


def test_an_unknown_figure_is_not_found(published):
    assert Client().get("/collections/harbour/leaderboard.svg?of=nothing").status_code == 404
    assert Client().get("/collections/harbour/leaderboard.bmp?of=panels").status_code == 404
