"""A table in a browser, played with mouse, finger or keyboard."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

from playwright.sync_api import Page, expect

from terrarium import games
from tests.web.texts import catalogue, pattern, t

# An island that is divided within a few turns.
SMALL = {"name": "islet", "map": "  A A B B\n A A C B D\n  E C C D D\n   E E D"}


# The turns of a game between two computers, won by towers.
WON = """
@c3 @d3 @e3 @f3 @d4 @h5
@c6 @d6 @e6 @f6 @h6 @f8
-f5 +e4 d4-d5 d5-e5 d3-d4 h5-h4 h4-g4
-g3 +e7 f6-f7 end
-h3 +f4 c3-c4 c4-c5 c5-d5 end
-d3 +d7 c6-c7 f8-e8 h6-h7 end
-h6 +f4 end
-f6 +d7 end
-c3 -c4 -h4 +e4 +g5 +c5 d5-c5 e5xe6 e6-e7 e7-d7
-h5 -g6 +e6 +e6 c7-c6 d6-d5 c6xc5
-e4 -d8 -e5 +e6 +e6 +e6 @e6 g4-g5 end
-g4 +f4 e8-e7 e7xd7 h7-h8
-f4 -e8 +f5 +c4 d4-e4 e4-f4 end
-c4 -c6 -f8 +e4 +d4 +g7 f7-g7 h8-h7 end
-e4 -e7 -f5 +d4 +g6 +h3 e3-e4 e4-d4 f3-e3 f4-e4 end
-f3 +g8 g7-f7 h7-h8 d5-d6 end
-g8 -d5 -h3 +g4 +g4 +g4 g5-g6 g6-g7 e4-f4 f4-g4 end
-c8 +f4 f7xg7 g7-g6 h8-g8
-g5 -g5 -c7 +e7 +c3 +h3 @e7 g4-f4 e7-f7 f7-g7 end
-h8 +g5 g8xg7 g7-f7 f7-e7
-g5 -g8 -e4 +g4 +g4 +d3 @g4 @g7 e3-d3 d3-c3 end
-e3 +f6 end
""".strip().splitlines()


# The texts in a cell's label for the actions that are possible there.
OFFERS = {
    "source": t("board.cell.canMove"),
    **{
        key.removeprefix("can."): message
        for key, message in catalogue("en", "board").items()
        if key.startswith("can.")
    },
}

# JavaScript: whether a label offers any action.
OFFERING = (
    f"(label) => {json.dumps(list(OFFERS.values()))}.some(offer => label.includes(', ' + offer))"
)


# JavaScript: whether no answer is awaited, so that the board shows the actions that are possible now.
ANSWERED = "() => !document.querySelector('[role=grid][aria-busy=true]')"


# JavaScript: whether no answer is awaited, and an action is possible, the turn can be sent, or it was sent.
READY = f"""async ([id, turn]) => [...document.querySelectorAll('[role=grid]:not([aria-busy=true]) [data-cell]')]
    .some(cell => ({OFFERING})(cell.getAttribute('aria-label')))
  || document.querySelector('button.finish')?.disabled === false
  || (await (await fetch('/api/games/' + id)).json()).turn > turn"""


# Milliseconds between two checks.
POLLING = 50


# JavaScript: whether a mark is on a cell.
LIES_ON = """([mark, cell]) => {
  const middle = (e) => { const box = e.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] };
  const found = document.querySelector(mark);
  if (!found) return false;
  const [a, b] = [middle(found), middle(document.querySelector(`[data-cell="${cell}"]`))];
  return Math.hypot(a[0] - b[0], a[1] - b[1]) < 2 }"""


# JavaScript: sets a promise that resolves when the page has received a mouse event at a place.
AWAIT_MOUSE = """([x, y]) => { window.mouseThere = new Promise(done => {
  const heard = (event) => {
    if (Math.hypot(event.clientX - x, event.clientY - y) > 1) return;
    removeEventListener('pointermove', heard, true);
    done();
  };
  addEventListener('pointermove', heard, true);
}); }"""


# JavaScript: waits for two frames, after which the page has drawn the effect of pointers and keys.
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def offers(label: str, *kinds: str) -> bool:
    """Whether a cell's label offers one of these: `source` for a piece that can move, or a kind of action.

    >>> offers("e7, forest, Red pioneer, " + t("board.cell.canMove"), "source")
    True
    """
    said = label.split(", ")
    return any(
        OFFERS[kind] in said or pattern("board.cell.cost", what=OFFERS[kind]).match(said[-1])
        for kind in kinds
    )


def nova(seats: list[str], **rules: Any) -> dict[str, Any]:
    """A game of Terra Nova on a small island."""
    return {
        "game": "nova",
        "rules": {"players": len(seats), "pioneers": 2, "stall_rounds": 3, **rules},
        "board": SMALL,
        "seats": [seat(kind) for kind in seats],
        "clock": None,
        "starter": "first",
        "visibility": "listed",
    }


def turrium(seats: list[str], **rules: Any) -> dict[str, Any]:
    """A game of Terra Turrium that lasts two rounds."""
    return {
        "game": "turrium",
        "rules": {"players": len(seats), "max_rounds": 2, **rules},
        "seats": [seat(kind) for kind in seats],
        "clock": None,
        "starter": "first",
        "visibility": "listed",
    }


def whole_game(**rules: Any) -> list[str]:
    """A game of Terra Nova on the small island, turn by turn, in which stones are placed whenever possible."""
    random = Random(3)
    position = games["nova"].begin(
        games["nova"].rules(**rules), games["nova"].board_from_data(SMALL)
    )
    turns: list[str] = []
    while position.outcome is None:
        actions: list[str] = []
        while not actions or not (position.at_turn_start or position.outcome):
            legal = position.legal_actions()
            stones = [action for action in legal if action.kind == "stone"]
            action = random.choice(stones or legal)
            actions.append(str(action))
            position = position.play(action)
        turns.append(" ".join(actions))
    return turns


def seat(kind: str) -> dict[str, Any]:
    return {"kind": "computer", "level": 1} if kind == "computer" else {"kind": kind}


@dataclass
class Table:
    """The table screen of one person."""

    page: Page
    id: str
    secrets: list[str | None] = field(default_factory=list)
    hand: str = "mouse"
    random: Random = field(default_factory=lambda: Random(7))

    @classmethod
    def set(cls, page: Page, game: dict[str, Any]) -> Table:
        """Create the game from inside the page, so that its cookie holds the seats, and go there."""
        made = page.evaluate(
            """async (body) => (await fetch('/api/games', {method: 'POST',
               headers: {'content-type': 'application/json'}, body: JSON.stringify(body)})).json()""",
            game,
        )
        assert "id" in made, made
        table = cls(page, made["id"], made["secrets"])
        table.open()
        return table

    def open(self) -> None:
        self.page.goto(f"/g/{self.id}")
        self.page.locator("[data-cell]").first.wait_for()
        self.settled()

    def snapshot(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(
            "async (id) => (await fetch('/api/games/' + id)).json()", self.id
        )
        return found

    @property
    def status(self) -> str:
        return self.page.locator(".status").inner_text()

    @property
    def finish(self) -> Any:
        return self.page.get_by_role("button", name=t("table.finish"))

    def more(self, name: str) -> Any:
        """The button of a rare action, in a menu that this opens."""
        menu = self.page.get_by_role("button", name=t("story.more"), exact=True)
        if menu.get_attribute("aria-expanded") == "false":
            menu.click()
        return self.page.get_by_role("button", name=name, exact=True)

    def can_finish(self) -> bool:
        """Whether the turn on the screen can be sent."""
        found: bool = self.page.evaluate(
            "() => document.querySelector('button.finish')?.disabled === false"
        )
        return found

    def settled(self) -> None:
        """Wait until the page is connected and no answer is awaited."""
        expect(self.page.locator(".link.open")).to_be_visible()

    def labels(self) -> dict[str, str]:
        """The label of each cell for screen readers, once the board is not busy."""
        self.page.wait_for_function(ANSWERED)
        found: dict[str, str] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll('[data-cell]')]
               .map(e => [e.dataset.cell, e.getAttribute('aria-label')]))"""
        )
        return found

    def cells(self, *kinds: str) -> list[str]:
        """The cells whose labels offer one of these."""
        return [cell for cell, label in self.labels().items() if offers(label, *kinds)]

    def centre(self, cell: str) -> tuple[float, float]:
        """The middle of a cell on the screen."""
        box = self.page.locator(f'[data-cell="{cell}"]').bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def choose(self, cell: str) -> None:
        """Act on a cell with this person's input device: mouse, finger or keyboard."""
        if self.hand == "keyboard":
            self._by_keyboard(cell)
            return
        x, y = self.centre(cell)
        if self.hand == "touch":
            if y < 0:  # pressing *Finish turn* scrolled the board off the screen
                self.page.evaluate("() => scrollTo(0, 0)")
                x, y = self.centre(cell)
            self.page.touchscreen.tap(x, y)
            self.page.evaluate(FRAMES)
            if self.page.locator(".preview").count():
                self.page.touchscreen.tap(x, y)
        else:
            self.page.mouse.click(x, y)

    def _by_keyboard(self, cell: str) -> None:
        keyboard = self.page.keyboard
        at = "() => document.activeElement?.dataset?.cell ?? null"
        if self.page.evaluate(at) is None:
            keyboard.press("b")
        for _ in range(200):
            if self.page.evaluate(at) == cell:
                keyboard.press("Enter")
                return
            keyboard.press("n")
        raise AssertionError(f"{cell} can't be reached by keyboard")

    def turn(self, prefer: str = "stone") -> list[str]:
        """Play one complete turn of actions that the page offers. Return the actions it shows before they are sent."""
        # Compare the number of turns, not `seq`, which also rises when somebody sits down.
        played = self.snapshot()["turn"]
        for _ in range(16):
            if self.can_finish():
                break
            self.page.wait_for_function(READY, arg=[self.id, played], polling=POLLING)
            if self.can_finish():
                break
            if self.snapshot()["turn"] != played:
                return []
            self.step(prefer, played)
        draft = self.page.locator(".draft li").all_inner_texts()
        if self.can_finish():
            if self.hand == "keyboard":
                self.page.keyboard.press("f")
            elif self.hand == "touch":
                self.finish.tap()
            else:
                self.finish.click()
        self.page.wait_for_function(
            """async ([id, turn]) => (await (await fetch('/api/games/' + id)).json()).turn > turn""",
            arg=[self.id, played],
            polling=POLLING,
        )
        self.page.wait_for_function("() => !document.querySelector('.draft')")
        return draft

    def send_turns(self, turns: list[str]) -> None:
        """Send turns to the server over the API, without the page's controls."""
        for turn in turns:
            sent = self.page.evaluate(
                """async ([id, actions]) => {
                  const {seq} = await (await fetch('/api/games/' + id)).json();
                  const answer = await fetch(`/api/games/${id}/turns`, {method: 'POST',
                    headers: {'content-type': 'application/json'},
                    body: JSON.stringify({seq, actions, key: id + seq})});
                  return answer.ok ? '' : await answer.text();
                }""",
                [self.id, turn.split()],
            )
            assert sent == "", sent

    def filled(self, turns: int = 40) -> None:
        """Fill the board as in the middle of a game: play turns that put down all possible pieces."""
        made = self.page.evaluate(
            """async ([id, turns]) => {
              const ask = async (path, body) => (await fetch('/api/games/' + id + path, body && {method: 'POST',
                headers: {'content-type': 'application/json'}, body: JSON.stringify(body)})).json();
              for (let number = 0; number < turns; number++) {
                const {seq, legal: first} = await ask('');
                const actions = [];
                for (let legal = first; ;) {
                  const wanted = legal.filter(a => ['stone', 'cube', 'end'].includes(a.kind));
                  const all = wanted.length ? wanted : legal;
                  actions.push(all[(number * 37 + actions.length * 11) % all.length].text);
                  const tried = await ask('/try', {seq, actions});
                  if (tried.turn_complete) break;
                  legal = tried.legal;
                }
                await ask('/turns', {seq, actions, key: id + seq});
              }
              return (await ask('')).turns.length;
            }""",
            [self.id, turns],
        )
        assert made == turns
        self.skip_to(turns)
        self.page.locator(".bar").wait_for()

    def skip_to(self, turns: int) -> None:
        """Skip the turns being shown, until this many turns are listed."""
        rows = self.page.locator(".moves li button")
        for _ in range(1_000):
            self.page.keyboard.press("s")
            if rows.count() == turns:
                return
            self.page.wait_for_timeout(50)
        expect(rows).to_have_count(turns)

    def is_chosen(self, cell: str) -> bool:
        """Whether the piece on a cell is selected already: flags stay selected while they can move further."""
        found: bool = self.page.evaluate(LIES_ON, [".selected", cell])
        return found

    def draft(self, turn: str) -> None:
        """Build a turn in notation, action by action, until it can be finished."""
        act = self.point if self.hand == "mouse" else self.choose
        drafted: list[str] = []
        for text in turn.split():
            if text == "end":
                continue
            # While an answer is awaited, the board still shows the old choices.
            self.page.wait_for_function(ANSWERED)
            self.page.wait_for_function(
                f"""() => [...document.querySelectorAll('[data-cell]')]
                   .some(cell => ({OFFERING})(cell.getAttribute('aria-label')))"""
            )
            if "-" in text[1:] or "x" in text:
                source, target = text.replace("x", "-").split("-")
                if not self.is_chosen(source):
                    act(source)
                self.page.wait_for_function(LIES_ON, arg=[".selected", source])
                act(target)
            else:
                mode = {"-": t("table.mode.take"), "+": t("table.mode.cube")}.get(text[0])
                radio = self.page.get_by_role("radio", name=mode)
                if mode and radio.count():
                    if self.hand == "keyboard":
                        radio.press("Enter")
                    else:
                        radio.click()
                act(text[1:])
            drafted.append(text)
            expect(self.page.locator(".draft li")).to_have_text(drafted)
        self.page.wait_for_function(
            "() => document.querySelector('button.finish')?.disabled === false"
        )

    def by_mouse(self, turn: str) -> None:
        """Play a turn in notation, click by click, and finish it."""
        before = self.snapshot()
        self.draft(turn)
        played = len(before["turns"])
        assert len(self.snapshot()["turns"]) == played, "a turn was sent without *Finish turn*"
        self.finish.click()
        expect(self.page.locator(".moves li button")).to_have_count(played + 1)
        self.page.wait_for_function("() => !document.querySelector('.draft')")

    def point(self, cell: str) -> None:
        """Click a cell; if another cell that matters hides it, turn the board until it is visible."""
        middle = """(selector) => { const box = document.querySelector(selector)?.getBoundingClientRect();
            return box ? [box.x + box.width / 2, box.y + box.height / 2] : null }"""
        for _ in range(4):
            self.page.wait_for_function(
                f"""(cell) => ({OFFERING})(document.querySelector(`[data-cell="${{cell}}"]`)
                   .getAttribute('aria-label'))""",
                arg=cell,
            )
            x, y = self.page.evaluate(middle, f'[data-cell="{cell}"]')
            self.page.mouse.move(x - 9, y)
            self.page.evaluate(AWAIT_MOUSE, [x, y])
            self.page.mouse.move(x, y)
            self.page.evaluate("() => window.mouseThere")
            self.page.evaluate(FRAMES)
            under = self.page.evaluate(middle, ".hovered")
            if under is not None and abs(under[0] - x) < 1 and abs(under[1] - y) < 1:
                self.page.mouse.click(x, y)
                return
            self.page.keyboard.press("r")
            self.page.evaluate(FRAMES)
        raise AssertionError(f"{cell} can't be pointed at from any side")

    def step(self, prefer: str, played: int | None = None) -> None:
        """Do one action that the page's labels offer; do nothing if the turn is complete.

        `played` is the number of turns before this one, if this one may have been sent meanwhile: nothing is done
        in the next one.
        """
        played = self.snapshot()["turn"] if played is None else played
        self.page.wait_for_function(READY, arg=[self.id, played], polling=POLLING)
        count = self.page.locator(".draft li").count()
        labels = self.labels()
        if self.snapshot()["turn"] != played:
            return
        direct = [
            cell
            for cell, label in labels.items()
            if offers(label, "place", "move", "stone", "flag", "take", "cube")
        ]
        sources = [cell for cell, label in labels.items() if offers(label, "source")]
        if not direct and not sources:
            return  # the answer to the last action has arrived, and completed the turn
        if direct and (prefer == "stone" or not sources):
            self.choose(self.random.choice(direct))
        else:
            source = self.random.choice(sources)
            if not self.is_chosen(source):
                self.choose(source)
            self.page.wait_for_function(LIES_ON, arg=[".selected", source])
            self.choose(self.random.choice(self.cells("move", "step", "capture")))
        # Wait until the action is drawn or, in a turn of one action, sent.
        self.page.wait_for_function(
            """async ([id, turn, count]) => document.querySelectorAll('.draft li').length > count
               || (await (await fetch('/api/games/' + id)).json()).turn > turn""",
            arg=[self.id, played, count],
            polling=POLLING,
        )

    def play_to_the_end(self, most: int = 120) -> dict[str, Any]:
        """Play turns for all seats of this browser until the game is over."""
        for _ in range(most):
            snapshot = self.snapshot()
            if snapshot["status"] == "over":
                break
            self.page.locator(".bar").wait_for()
            self.turn()
        snapshot = self.snapshot()
        assert snapshot["status"] == "over", snapshot["view"]
        return snapshot


def over(page: Page) -> None:
    """Check that the page shows the end of the game and offers another one."""
    expect(page.get_by_role("region", name=t("table.over"))).to_be_visible()
    expect(page.get_by_role("button", name=t("table.rematch"))).to_be_visible()


def from_above(table: Table) -> None:
    """Switch to the top view, where towers do not hide each other."""
    button = table.page.get_by_role("button", name=t("board.view.above"))
    if button.count():  # on phones it is the default
        button.click()
