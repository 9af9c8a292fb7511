"""Documentation: it names every setting and command, and its links work."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[1]
ROOMS = {"config.background", "pooling", "judging", "tournament", "leaderboard", "web"}
DOCS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def settings_read(*files: str) -> set[str]:
    pattern = re.compile(
        r"""(?:env(?:\.\w+)?|boolean|number|whole|choice|address|database|environ\.get|setting)\(\s*["']([A-Z][A-Z0-9_]+)["']"""
    )
    return {name for file in files for name in pattern.findall((ROOT / file).read_text())}


def test_every_setting_is_listed():
    listed = (ROOT / "docs" / "settings.md").read_text()

    missing = {
        name for name in settings_read("config/settings.py", "config/clock.py") if f"`{name}`" not in listed
    } - {"MARKETPLACE_PORT"}

    assert missing == set()


def test_every_marketplace_setting_is_listed():
    listed = (ROOT / "docs" / "marketplace.md").read_text()

    missing = {name for name in settings_read("config/marketplace_settings.py") if f"`{name}`" not in listed}

    assert missing == set()


def test_every_command_is_documented():
    prose = "\n".join(path.read_text() for path in DOCS)

    missing = {
        name for name, app in get_commands().items() if app in ROOMS and not re.search(rf"\b{name}\b", prose)
    }

    assert missing == set()


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path):
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", path.read_text())

    broken = [target for target in targets if not (path.parent / target).exists()]

    assert broken == []


def anchors_in(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_to_a_section_lead_to_one(path):
    links = re.findall(r"\]\((?!https?:|mailto:)([^)#]*)#([^)]+)\)", path.read_text())

    broken = [
        (file, anchor)
        for file, anchor in links
        if anchor not in anchors_in(path.parent / file if file else path)
    ]

    assert broken == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_a_document_is_short(path):
    assert len(path.read_text().splitlines()) < 250


@pytest.mark.parametrize("path", [*DOCS, ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_a_line_of_prose_has_at_most_200_characters(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    prose = [re.sub(r"https?://\S+", "", line) for line in text.splitlines() if not line.startswith("|")]

    assert [line for line in prose if len(line) > 200] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_commands_named_in_documents_exist(path):
    named = set(re.findall(r"manage\.py ([a-z_]+)", path.read_text()))

    assert named <= set(get_commands())


def test_every_paper_that_is_referred_to_is_in_the_list_and_the_other_way_round():
    document = (ROOT / "docs" / "methods-leaderboard.md").read_text()
    text, listed = document.split("## Papers")
    sources = [path for room in ("tournament", "leaderboard") for path in (ROOT / room).rglob("*.py")]
    texts = [
        text,
        *((ROOT / "docs" / f"methods{part}.md").read_text() for part in ("", "-analyses")),
        *(path.read_text() for path in sources),
    ]

    named = {
        letters
        for one in texts
        for letters in re.findall(r"\[([A-Z]{2,3})(?:,[^\]\n]*)?(?: §[^\]]*)?\]", one)
    }

    papers = dict(re.findall(r"^\| \[([A-Z]+)\] \| (.*) \|$", listed, re.MULTILINE))
    assert named == set(papers)
    for paper in papers.values():
        assert re.search(r"\*[^*]+\*\..* 20\d\d\b", paper), f"{paper}: title, venue and year"
