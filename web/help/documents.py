"""The project's documents as pages, so that every installation has its own help."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = Path(settings.BASE_DIR) / "docs"
PICTURES = FOLDER / "pictures"
#: For each kind of reader, the documents in reading order.
SHELVES: dict[str, tuple[str, ...]] = {
    "Start": ("tutorial", "glossary"),
    "Run a campaign": ("planning", "requester-guide", "campaign-in-progress", "grading", "people", "ethics"),
    "Judge": ("workers",),
    "Leaderboards": (
        "running-a-board",
        "running-a-track",
        "methods",
        "methods-leaderboard",
        "methods-analyses",
        "methods-screening",
        "methods-active-learning",
    ),
    "Data and programs": ("data-formats", "api", "api-examples", "webhooks"),
    "Operate": ("sizing", "operations", "maintenance", "settings", "marketplace", "marketplace-protocol"),
    "Develop": ("architecture", "running-system", "contributing"),
}
_OWN_LINK = re.compile(r"(?P<name>[a-z0-9-]+)\.md(?P<place>#.*)?")
_PICTURE = re.compile(r"pictures/(?P<name>[a-z0-9-]+\.[a-z]+)")


@dataclass(frozen=True)
class Document:
    """A document as a page shows it; ``html`` is escaped except for our own markup."""

    name: str
    title: str
    html: SafeString
    sections: tuple[tuple[str, str], ...]
    """The id and the title of each section."""


@cache
def document(name: str) -> Document | None:
    """Return the document with this name; None if there is none."""
    path = FOLDER / f"{name}.md"
    if name not in document_names() or not path.is_file():
        return None
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(path.read_text(encoding="utf-8"))
    headings = list(_headings_in(tokens))
    title = next((text for opening, text in headings if opening.tag == "h1"), name)
    sections = []
    for opening, text in headings:
        opening.attrSet("id", anchor(text))
        if opening.tag == "h2":
            sections.append((anchor(text), text))
    for token in tokens:
        for child in token.children or ():
            _adapt_to_page(child)
    # Safe: markdown-it escapes the text, and raw HTML in a document is shown as text.
    html = mark_safe(reader.renderer.render(tokens, reader.options, {}))  # noqa: S308
    return Document(name, title, html, tuple(sections))


def document_names() -> tuple[str, ...]:
    return tuple(name for shelf in SHELVES.values() for name in shelf)


def anchor(heading: str) -> str:
    """Return the id of a heading, in the same form as on GitHub."""
    return slugify(heading.replace("`", ""), allow_unicode=True)


@cache
def glossary() -> dict[str, str]:
    """Return anchor → the glossary's first paragraph about the term, as plain text."""
    text = (FOLDER / "glossary.md").read_text(encoding="utf-8")
    found = {}
    for section in text.split("\n## ")[1:]:
        heading, _, rest = section.partition("\n")
        paragraph = " ".join(rest.strip().split("\n\n")[0].split())
        found[anchor(heading)] = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", paragraph).replace("`", "")
    return found


def _headings_in(tokens: list[Token]) -> Any:
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            yield token, tokens[place + 1].content.replace("`", "")


def _adapt_to_page(token: Token) -> None:
    """Point links to other documents at their pages, and pictures at the addresses that serve them."""
    if token.type == "link_open":
        link = str(token.attrGet("href") or "")
        if own := _OWN_LINK.fullmatch(link):
            token.attrSet("href", f"../{own['name']}/{own['place'] or ''}")
        elif "://" not in link and not link.startswith(("#", "mailto:")):
            # The link is to a file of the repository that no page shows.
            token.attrs.pop("href", None)
    elif token.type == "image" and (picture := _PICTURE.fullmatch(str(token.attrGet("src") or ""))):
        token.attrSet("src", f"../pictures/{picture['name']}")
        token.attrSet("loading", "lazy")
