"""A person with a browser who reads the question and both passages, and knows which answers it better."""

from pathlib import Path

from playwright.sync_api import Page, expect


class Person:
    """A person at the crowd's site. ``grades`` says how well a text answers a question."""

    def __init__(self, page: Page, grades: dict[tuple[str, str], int]) -> None:
        self.page, self.grades = page, grades
        self.frame = page.frame_locator("#task-frame")
        self.seen: list[tuple[str, str, str]] = []
        self.complaints: list[str] = []
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def sign_up(self, address: str, name: str) -> None:
        self.page.goto(address)
        self.page.get_by_role("link", name="Sign up").click()
        self.page.get_by_label("Name to sign in with").fill(name)
        self.page.get_by_label("Password").fill("a horse reads passages")
        self.page.get_by_role("button", name="Sign up").click()

    def better_side(self, number: int) -> str:
        """Read the displayed pair, record it, and return the better side; the left if they are equal."""
        pair = self.frame.locator(f"#pair-{number}")
        expect(pair).to_be_visible()
        question = pair.locator(".question").inner_text()
        passages = pair.locator(".passage")
        passages.evaluate_all("all => all.forEach((one) => one.scrollIntoView({ block: 'end' }))")
        left, right = passages.all_inner_texts()
        side = "right" if self._grade(question, right) > self._grade(question, left) else "left"
        self.seen.append((question, left, right))
        return side

    def _grade(self, question: str, text: str) -> int:
        return self.grades.get((question, text), -1)

    def click(self, number: int) -> None:
        """Judge the pair with the mouse."""
        side = self.better_side(number)
        self.frame.locator(f"#pair-{number} label.choice").nth(0 if side == "left" else 1).click()

    def press(self, number: int) -> None:
        """Judge the pair with a key: digits and arrows in turn."""
        side = self.better_side(number)
        keys = ("1", "ArrowLeft") if side == "left" else ("2", "ArrowRight")
        self.page.keyboard.press(keys[number % 2])

    def shows(self, words: str) -> None:
        expect(self.frame.locator("#place-words")).to_have_text(words)


def grades_of(queries: Path, passages: Path, grades: Path) -> dict[tuple[str, str], int]:
    """Return (question, text) → grade, from a collection's files."""
    questions = dict(line.split("\t", 1) for line in queries.read_text().splitlines())
    texts = dict(line.split("\t", 1) for line in passages.read_text().splitlines())
    rows = (line.split() for line in grades.read_text().splitlines())
    return {(questions[qid], texts[pid]): int(grade) for qid, _, pid, grade in rows}
