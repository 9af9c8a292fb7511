"""Texts that name actions and options; no sentence of the product hides a command."""

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

from config.errors import Refusal
from config.guidance import Action, Guidance, Option, TerminalOnly, joined, restored, stored

ROOMS = ("accounts", "config", "judging", "leaderboard", "pooling", "tournament", "web")
#: Files whose texts appear only in a terminal.
TERMINAL = re.compile(r"/management/|^config/(process|commands|monitoring)/|^web/demo\.py$|/kind\.py$")
RAISE = Action("raise_budget", "first", "12.50")
GUIDANCE = Guidance("Too dear. ", RAISE, " or use ", Option("reward"), TerminalOnly(" with --runs"), ".")


def test_as_a_string_it_reads_as_in_a_terminal():
    assert GUIDANCE == "Too dear. Run: manage.py raise_budget first 12.50 or use --reward with --runs."
    assert GUIDANCE.asks_for("raise_budget")
    assert not GUIDANCE.asks_for("collect")


@pytest.mark.parametrize(
    "made",
    [
        GUIDANCE,
        str(GUIDANCE),
        pickle.loads(pickle.dumps(GUIDANCE)),
        restored(stored(GUIDANCE)),
        joined(" ", ["", GUIDANCE]),
        Guidance("Too dear. ") + Guidance(*GUIDANCE.parts[1:]),
        "Too dear. " + Guidance(*GUIDANCE.parts[1:]),
        str(Refusal("Too dear.", Guidance(*GUIDANCE.parts[1:]))),
    ],
)
def test_its_parts_survive(made):
    assert made == GUIDANCE
    assert made.parts[-5:] == GUIDANCE.parts[-5:]


def test_plain_text_is_stored_as_it_is():
    assert stored("Look again.") == stored(Guidance("Look again.")) == "Look again."
    assert restored("Look again.").parts == ("Look again.",)


def test_nobody_writes_a_text_that_is_read_as_actions():
    forged = stored(GUIDANCE)
    plain = "".join(forged)  # typed by a person: text without parts

    assert restored(stored(plain)).parts == (plain.lstrip("\x1e"),)


def _product() -> Iterator[tuple[str, ast.Module]]:
    root = Path(settings.BASE_DIR)
    for room in ROOMS:
        for file in sorted((root / room).rglob("*.py")):
            yield str(file.relative_to(root)), ast.parse(file.read_text())


def _sentences(module: ast.Module) -> Iterator[ast.Constant]:
    """Yield strings that are neither docstrings nor parts of a command line."""
    docs = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    parts = [node for node in ast.walk(module) if _calls(node, "Action", "TerminalOnly")]
    typed = {id(inner) for node in parts for inner in ast.walk(node)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | typed:
            yield node


def _calls(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in names


def test_no_sentence_hides_a_command_or_an_option():
    """Texts for pages and programs name commands and options as data, so that each surface can word them."""
    hidden = [
        f"{name}:{one.lineno}: {one.value}"
        for name, module in _product()
        if not TERMINAL.search(name)
        for one in _sentences(module)
        if re.search(r"\bmanage\.py [a-z]|(?<![\w/'-])--[a-z]+[ .)]", one.value)
    ]
    assert hidden == []


def test_every_action_is_a_command():
    called = [
        (name, node.args[0].value)
        for name, module in _product()
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and _calls(node, "Action") and isinstance(node.args[0], ast.Constant)
    ]
    assert len(called) > 50
    assert [one for one in called if one[1] not in get_commands()] == []
