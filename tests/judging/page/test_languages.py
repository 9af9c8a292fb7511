"""The judging pages in the campaign's language, and the translation catalogs behind them."""

import ast
import gettext
import re
from dataclasses import astuple
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.template.base import Lexer, TokenType
from django.test import Client
from django.utils import translation
from django.utils.translation.template import templatize

from judging.campaign.campaigns import CampaignSettings, create_campaign
from judging.campaign.worker_texts import agreed_text, default_texts, levels_of
from judging.errors import CampaignRefused
from judging.models import Campaign, ConsentText, GradedCampaign, Submission
from judging.page import page_limits
from judging.page.crowd_frame import LARGEST_FORM
from judging.rules.durations import duration_words, to_the_second
from judging.rules.grade_scale import FOUR_LEVELS, Level
from judging.rules.pay import Pay, pay_words as pay_in_words
from judging.rules.screening_words import REPEATS
from judging.rules.worked_example import read_example
from pooling.models import Collection
from tests.judging.visitor import Visitor, text

pytestmark = pytest.mark.one_database
ROOT = Path(__file__).resolve().parents[3]
OTHERS = [tag for tag, _ in settings.LANGUAGES if tag != "en"]
PAGES = sorted((ROOT / "templates/judging").rglob("*.html"))
MARKS = {"_", "gettext", "gettext_noop", "gettext_lazy", "ngettext", "ngettext_lazy"}
STRING = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
PLACES = re.compile(r"%\(\w+\)s|\{\w+\}|</?\w[^>]*>")


# Pages.


@pytest.fixture
def martha(crowd, fair, crowd_site) -> Visitor:
    """A visitor at work on a campaign in German, over an English collection."""
    return Visitor(crowd, fair.opened(language="de", minimum_age=18, minimum_seconds=1))


def test_what_the_script_says_is_in_each_page_s_own_language(crowd, fair, crowd_site):
    martha = Visitor(crowd, fair.opened(language="de"))
    martha.begin()
    pages = []
    for language in ("de", "en"):
        Campaign.objects.update(language=language)
        pages.append(text(martha.client.get(martha.page)))

    for word in ("saved just now", "Offensive or upsetting"):
        assert [word in page for page in pages] == [False, True]


def test_a_whole_task_in_german(martha):
    preview = text(martha.arrive(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE"))
    assert '<html lang="de">' in preview
    assert "Die Zeit ist auf 1 Stunde begrenzt." in preview

    assert "5 Paare · Texte: Englisch · $2.00 für etwa 4 Minuten, $30.00 in der Stunde" in preview

    consent = text(martha.arrive())
    assert "<h1>Bevor Sie beginnen</h1>" in consent
    assert "Was aufgezeichnet wird" in consent
    assert "Für 2 von 5 Paaren erhalten Sie insgesamt $0.92." in consent
    assert "Schreiben Sie an die auftraggebende Stelle" in consent
    assert "Ich bin mindestens 18 Jahre alt." in consent

    task = text(martha.client.post(f"{martha.page}consent", {"of-age": "yes"}, follow=True))
    assert ConsentText.objects.get().text.endswith("Ich bin mindestens 18 Jahre alt.")
    assert '<html lang="de">' in task
    assert 'data-saved="gerade gespeichert"' in task
    assert "Paar 1 von 5" in task
    assert "Offensive" not in task
    assert 'class="passage" role="group" lang="en"' in task
    assert '<p class="asked" lang="de" dir="ltr">wie lange kocht man ein ei</p>' in task

    early = martha.save(slot="2").json()
    assert early["message"] == "Das ging zu schnell, um beide Texte zu lesen"
    assert "Sie haben 0 von 5 Paaren beurteilt." in text(martha.client.get(f"{martha.page}leave"))
    Campaign.objects.update(minimum_seconds=0)
    missing = text(martha.client.post(f"{martha.page}finish", {"choice-1": "left"}))
    assert "4 Paare sind noch ohne Antwort" in missing

    sent = text(martha.finish())
    assert "dann erhalten Sie $2.00." in sent
    assert martha.submission.state == Submission.State.FINISHED


def test_refusals_and_appeals_in_german_and_other_pages_in_english_after_them(crowd, martha):
    martha.begin()
    Submission.objects.update(standing=Submission.Standing.EXCLUDED)

    refused = text(martha.client.get(martha.page))
    appeal = re.search(r'action="(/judge/appeal/[^"]+)"', refused)
    objected = text(martha.client.post(appeal[1], {"words": "Ich habe gelesen."}))
    strayed = text(martha.arrive(turkSubmitTo="https://evil.example"))

    assert '<html lang="de">' in refused
    assert "<h1>Hier gibt es keine weiteren Aufgaben für Sie</h1>" in refused
    assert "„Ich habe gelesen.“" in objected
    assert "Dieser Link nennt eine Website, die nicht zur Plattform gehört." in strayed
    assert '<html lang="en">' in text(Client(headers={"accept-language": "en"}).get("/judge/nowhere/"))


def test_campaign_says_its_words_in_its_language_whoever_asks(fair):
    german = fair.draft(language="de", content_warning="Es geht um Krankheit.")
    english = fair.draft_of("english")

    assert agreed_text(german).startswith("Hinweis zum Inhalt\nEs geht um Krankheit.\n\nWozu das dient")
    assert "Sie erhalten $2.00" in agreed_text(german)
    assert agreed_text(english).startswith("What this is for")


def test_example_of_ones_own_has_the_collections_language(crowd, fair, crowd_site):
    campaign = fair.opened(language="de")
    Collection.objects.update(language="fr")
    Campaign.objects.update(example_text=campaign.example_text.replace("ein ei", "un œuf"))

    assert '<p class="asked" lang="fr"' in text(Visitor(crowd, campaign).begin())


def test_language_without_words_is_refused_and_the_command_takes_one_that_has(fair):
    with pytest.raises(CampaignRefused, match="not available in the language 'xx'"):
        create_campaign(name="odd", settings=CampaignSettings(language="xx"), pool=fair.pool)

    call_command("create_campaign", "deutsch", pool=fair.pool.name, language="de")

    assert Campaign.objects.get(name="deutsch").instructions_text == default_texts("de")["instructions_text"]


# Catalogues.


def compiled(language: str) -> dict:
    """Return message → translation, as the product reads them, without fuzzy or empty ones."""
    with (ROOT / f"locale/{language}/LC_MESSAGES/django.mo").open("rb") as file:
        known = gettext.GNUTranslations(file)._catalog
    plurals = {key[0]: [] for key in known if isinstance(key, tuple)}
    for key in sorted(key for key in known if isinstance(key, tuple)):
        plurals[key[0]].append(known[key])
    return {key: [words] for key, words in known.items() if isinstance(key, str) and key} | plurals


def written(language: str) -> dict:
    """Return the same from the file that people edit; fuzzy messages have no translation."""
    source = (ROOT / f"locale/{language}/LC_MESSAGES/django.po").read_text()
    known = {}
    for entry in source.split("\n\n")[1:]:
        said, name = {"msgid": ""}, "msgid"
        for line in entry.splitlines():
            if found := re.fullmatch(r'(?:(msg\w+(?:\[\d\])?) )?(".*")', line):
                name = found[1] or name
                said[name] = said.get(name, "") + ast.literal_eval(found[2])
        if said["msgid"]:  # obsolete messages are kept as comments
            words = [said[key] for key in sorted(said) if key.startswith("msgstr") and said[key]]
            known[said["msgid"]] = [] if ", fuzzy" in entry else words
    return known


def said_by_pages() -> set[str]:
    """Return every message of the templates, as gathered by the extraction tool."""
    source = "\n".join(templatize(path.read_text()) for path in PAGES)
    calls = re.findall(rf"\b(?:n?gettext|_)\(({STRING})", source)
    return {ast.literal_eval(call) for call in calls}


def said_by_modules() -> set[str]:
    """Return every message that a module of judging marks for translation."""
    found = set()
    for path in (ROOT / "judging").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant)):
                continue
            if getattr(call.func, "id", getattr(call.func, "attr", "")) in MARKS:
                found.add(call.args[0].value)
    return found


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_is_translated_and_compiled_as_it_is_written(language):
    messages, known = said_by_pages() | said_by_modules(), compiled(language)

    assert {"Stop here?", "{count} hour", "Too many requests", "j F Y", "Something else"} <= messages
    assert messages == set(known)
    assert known == written(language)


@pytest.mark.parametrize("language", [tag for tag, _ in settings.LANGUAGES])
def test_graded_tasks_have_words_of_their_own_where_pages_speak_of_pairs(language):
    """Only the sentences about swapped sides have none: a single passage has no sides."""
    graded, known = compiled(f"{language}_Graded"), compiled("de")
    of_pairs = {
        message for message in known if re.search(r"\bpairs?\b|both passages", PLACES.sub("", message), re.I)
    }

    assert graded == written(f"{language}_Graded")
    assert of_pairs - {REPEATS} <= set(graded) <= set(known)
    for message, forms in graded.items():
        assert not re.search(
            r"\bpairs?\b|\bPaare?n?\b|beide", PLACES.sub("", " ".join(forms).replace("#pair-", "")), re.I
        )
        for words in forms:
            further = set(PLACES.findall(words)) - set(PLACES.findall(message))
            assert set(PLACES.findall(message)) <= set(PLACES.findall(words)), message
            assert not further or len(forms) > 1, message
    with translation.override(f"{language}-graded"):
        assert translation.gettext("Submit task") == {"en": "Submit task", "de": "Aufgabe absenden"}[language]
        assert translation.ngettext("{pairs} pair", "{pairs} pairs", 2) != "{pairs} pairs"


@pytest.mark.parametrize("language", OTHERS)
def test_translations_keep_figures_and_elements_and_break_no_attribute(language):
    for message, forms in compiled(language).items():
        for words in forms:
            # A plural form can contain figures that the singular message lacks.
            further = set(PLACES.findall(words)) - set(PLACES.findall(message))
            assert set(PLACES.findall(message)) <= set(PLACES.findall(words)), message
            assert not further or len(forms) > 1, message
            assert words.count('"') == message.count('"'), message
            assert words.count("%") == message.count("%") or len(forms) > 1, message


@pytest.mark.parametrize("language", OTHERS)
def test_texts_that_ship_with_the_project_are_whole_in_every_language(language):
    texts, originals = default_texts(language), default_texts()

    assert read_example(texts["example_text"]).better == read_example(originals["example_text"]).better
    for name in originals:
        assert set(PLACES.findall(texts[name])) == set(PLACES.findall(originals[name]))


class Outside(HTMLParser):
    """Collect untranslated words on a page, in its text and in attributes that are read aloud."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words += re.findall(r"[A-Za-z]{2,}", data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        read_out = {"aria-label", "title", "placeholder", "alt"}
        self.words += [
            value for name, value in attrs if name in read_out and re.search("[A-Za-z]", value or "")
        ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_word_of_a_page_is_translated(path):
    outside, translating = [], False
    for token in Lexer(path.read_text()).tokenize():
        if token.token_type == TokenType.BLOCK:
            translating = (translating or token.contents.startswith("blocktranslate")) and (
                token.contents != "endblocktranslate"
            )
        elif token.token_type == TokenType.TEXT and not translating:
            outside.append(token.contents)

    page = Outside()
    page.feed("".join(outside).replace("<!doctype html>", ""))

    assert page.words == []


# Sentences made by pure modules.


def test_pure_modules_say_english_unless_they_are_handed_other_words():
    with (ROOT / "locale/de/LC_MESSAGES/django.mo").open("rb") as file:
        german = gettext.GNUTranslations(file)

    assert duration_words(3900, german) == "1 Stunde 5 Minuten"
    assert (to_the_second(61), to_the_second(2, german)) == ("1 minute 1 second", "2 Sekunden")
    assert pay_in_words(Pay(Decimal("0.20"), Decimal("1.80")), 1).count("$0.20") == 1
    assert "mit 1 Paar," in pay_in_words(Pay(Decimal("0.20"), Decimal("1.80")), 1, german)


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/judge/task/W10~abc/", 404, "Diese Adresse ist nicht vollständig"),
        ("/judge/no/such/page", 404, "Diese Adresse ist nicht vollständig"),
    ],
)
def test_errors_speak_the_browsers_language_where_no_campaign_is_known(db, path, status, says):
    german = Client().get(path, headers={"accept-language": "de-AT,en;q=0.5", "accept": "text/html"})
    unknown = Client().get(path, headers={"accept-language": "xx"})

    assert german.status_code == unknown.status_code == status
    assert '<html lang="de">' in text(german)
    assert says in text(german)
    assert '<html lang="en">' in text(unknown)


def test_what_is_too_large_or_too_fast_is_said_in_the_browsers_language(db, monkeypatch):
    monkeypatch.setattr(page_limits, "request_pause", lambda token: 3)
    browser = Client(headers={"accept-language": "de"})

    large = browser.post("/judge/task/x/save", {"side": "x" * LARGEST_FORM}, headers={"accept": "text/html"})
    fast = browser.post("/judge/task/x/save", {"side": "x"}, headers={"accept": "*/*"})

    assert (large.status_code, fast.status_code) == (413, 429)
    assert "Das war zu lang" in text(large)
    assert fast.json()["message"] == "Zu viele Anfragen"


def test_the_default_scale_is_in_the_language_of_the_page_and_another_stays_as_written():
    def names(scale):
        with translation.override("de-graded"):
            grading = GradedCampaign(scale=[astuple(level) for level in scale])
            return [level.name for _, level in levels_of(Campaign(grading=grading))]

    assert names(FOUR_LEVELS) == ["Nicht relevant", "Verwandt", "Sehr relevant", "Vollkommen relevant"]
    without_examples = [Level(level.name, level.definition) for level in FOUR_LEVELS]
    assert names(without_examples) == names(FOUR_LEVELS)  # as campaigns stored it before there were examples
    assert names([Level("Related", "no"), Level("Good", "yes")]) == ["Related", "Good"]
