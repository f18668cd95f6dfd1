"""Boards as text: names, neighbours, lines, and every reason to refuse one (TN-1)."""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium import nova
from terrarium.errors import InvalidBoard, Problem
from terrarium.nova.board import (
    BOARDS,
    DIRECTIONS,
    MAX_CELLS,
    MAX_LANDSCAPES,
    MAX_NUMBER,
    MAX_ROWS,
    MAX_TEXT,
    Board,
    check,
    check_file,
)

HONEYCOMB = """
  A A B
 C A B B
C C D B
 C D D
"""


def codes(text: object) -> list[str]:
    return [problem.code for problem in check(text)]


def places(text: str) -> list[tuple[str, int | None, int | None]]:
    return [(problem.code, problem.line, problem.column) for problem in check(text)]


def test_cells_are_named_by_row_letter_and_the_number_that_runs_down_to_the_left() -> None:
    board = Board.parse(HONEYCOMB)
    assert " ".join(board.cells) == "a1 a2 a3 b1 b2 b3 b4 c1 c2 c3 c4 d2 d3 d4"


def test_the_smallest_number_of_a_board_is_one_wherever_it_is_drawn() -> None:
    moved = "\n\n" + "\n".join("       " + line for line in HONEYCOMB.strip("\n").split("\n"))
    assert Board.parse(moved).cells == Board.parse(HONEYCOMB).cells


@pytest.mark.parametrize("blank", ["", "\n", "\n\n", " \n. .\n   \n"])
def test_lines_without_cells_at_the_top_do_not_count_as_rows(blank: str) -> None:
    board = Board.parse(blank + "A A B\n C D D")
    assert board.cells == ("a1", "a2", "a3", "b2", "b3", "b4")
    assert board == Board.parse("A A B\n C D D")


def test_a_row_of_cells_is_counted_from_one() -> None:
    board = Board.parse("A A A B C D E")
    assert board.cells == ("a1", "a2", "a3", "a4", "a5", "a6", "a7")
    assert board.distances[2] == (4, 0, 0, 2, 0, 0)


def test_spaces_and_dots_are_sea() -> None:
    dotted = Board.parse(". A A B .\n.C D . D .\n. . D D . .")
    assert dotted.to_text() == " A A B\nC D   D\n   D D"
    assert dotted == Board.parse("  A A B\n C D   D\n    D D")
    assert "b3" not in dotted.cells


def test_lines_run_along_a_letter_along_a_number_or_step_both_together() -> None:
    board = Board.parse(HONEYCOMB)
    centre = board.index("b2")
    near = {d: board.cells[n] for d, n in enumerate(board.neighbours[centre]) if n >= 0}
    assert near == {0: "b3", 1: "c3", 2: "c2", 3: "b1", 4: "a1", 5: "a2"}
    rays = [" ".join(board.cells[c] for c in ray) for ray in board.rays[board.index("a1")]]
    assert rays == ["a2 a3", "b2 c3 d4", "b1 c1", "", "", ""]


@pytest.mark.parametrize("name", list(BOARDS))
def test_neighbours_are_mutual_and_form_a_ring(name: str) -> None:
    board = BOARDS[name]
    for cell, near in enumerate(board.neighbours):
        for d, other in enumerate(near):
            if other < 0:
                continue
            assert board.neighbours[other][(d + 3) % 6] == cell
            letter, number = board.axial[cell]
            assert board.axial[other] == (letter + DIRECTIONS[d][0], number + DIRECTIONS[d][1])
            after = near[(d + 1) % 6]
            if after >= 0:
                assert after in board.neighbours[other]


@pytest.mark.parametrize("name", list(BOARDS))
def test_rays_step_to_the_sea(name: str) -> None:
    board = BOARDS[name]
    for cell, rays in enumerate(board.rays):
        for d, ray in enumerate(rays):
            at = cell
            for step in ray:
                assert board.neighbours[at][d] == step
                at = step
            assert board.neighbours[at][d] == -1
            assert board.distances[cell][d] == len(ray)


@pytest.mark.parametrize("name", list(BOARDS))
def test_centres_of_neighbours_are_equally_far_apart(name: str) -> None:
    board = BOARDS[name]
    for cell, near in enumerate(board.neighbours):
        for other in near:
            if other >= 0:
                (x, y), (u, v) = board.centres[cell], board.centres[other]
                assert ((x - u) ** 2 + (y - v) ** 2) ** 0.5 == pytest.approx(3**0.5)


def test_a_board_round_trips_through_text_and_toml() -> None:
    board = Board.parse(
        HONEYCOMB, "tiny", {"A": "forest", "B": "lake"}, author='A "player"', note="back\\slash"
    )
    assert board.to_text() == HONEYCOMB.strip("\n")
    again = Board.from_toml(board.to_toml())
    assert again == board
    assert (again.name, again.author, again.note) == ("tiny", 'A "player"', "back\\slash")
    assert dict(again.landscapes) == {"A": "forest", "B": "lake", "C": "C", "D": "D"}


def test_boards_are_equal_when_their_maps_and_all_labels_are() -> None:
    one, again = Board.parse(HONEYCOMB, "one"), Board.parse(HONEYCOMB, "one")
    assert one == again
    assert hash(one) == hash(again)
    assert one != Board.parse(HONEYCOMB, "two")
    assert one != Board.parse(HONEYCOMB, "one", {"A": "forest"})
    assert one != Board.parse(HONEYCOMB, "one", author="a player")
    assert one != Board.parse(HONEYCOMB, "one", note="small")
    assert one != Board.parse(HONEYCOMB.replace("D", "E"), "one")
    other: object = HONEYCOMB
    assert one != other


def test_positions_on_boards_with_one_map_are_equal_and_keep_their_labels() -> None:
    rules = nova.Rules(pioneers=1)
    one = nova.start(rules, Board.parse(HONEYCOMB, "one", {"A": "forest"}))
    two = nova.start(rules, Board.parse(HONEYCOMB, "two"))
    assert one == two
    assert hash(one) == hash(two)
    assert one.to_text() == two.to_text()
    assert one.kernel is two.kernel
    cell = one.board.cells[0]
    for position, name in ((one, "one"), (two, "two")):
        after = position.play(f"@{cell}")
        assert after.board.name == name
        assert pickle.loads(pickle.dumps(after)).board == position.board
    assert "forest" in one.regions()[0].landscapes
    assert "forest" not in two.regions()[0].landscapes


def test_a_board_is_pickled_completely() -> None:
    board = BOARDS["terra-nova"]
    again = pickle.loads(pickle.dumps(board))
    assert again == board
    assert (again.name, again.note, again.landscapes) == (board.name, board.note, board.landscapes)


def test_a_board_cannot_be_changed() -> None:
    board = Board.parse(HONEYCOMB)
    with pytest.raises(AttributeError):
        board.map = "A"  # type: ignore[misc]
    with pytest.raises(TypeError):
        board.landscapes["A"] = "lake"  # type: ignore[index]


def test_letters_beyond_ascii_and_digits_name_landscapes_too() -> None:
    board = Board.parse("Å é\n 1 Ж", landscapes={"é": "lake"})
    assert board.letters == ("1", "Å", "é", "Ж")
    assert Board.from_toml(board.to_toml()) == board


def test_an_unknown_cell_is_refused_with_what_the_board_has() -> None:
    with pytest.raises(InvalidBoard, match=r"'e9'.*letters a to d and numbers 1 to 4") as caught:
        Board.parse(HONEYCOMB).index("e9")
    assert caught.value.code == "unknown-cell"


def test_boards_of_26_by_26_cells_work() -> None:
    rows = [
        " " * (25 - r) + " ".join("ABCD"[(r // 7 + n // 7) % 4] for n in range(26))
        for r in range(26)
    ]
    board = Board.parse("\n".join(rows))
    assert len(board) == 676
    assert board.cells[0] == "a1"
    assert board.cells[-1] == "z26"
    assert board.distances[board.index("a1")] == (25, 25, 25, 0, 0, 0)


class TestRefusals:
    """Each refusal says what is wrong, where, and what would be right."""

    def test_a_row_without_spaces(self) -> None:
        assert places("AAABCDE") == [("board-parity", 1, 2)]
        assert "two columns apart" in check("AAABCDE")[0].message

    def test_a_row_that_is_not_shifted(self) -> None:
        text = "A A B B\n C C D\nA A D D\nA A D"
        assert places(text) == [("board-parity", 4, 1)]
        assert "is not shifted" in check(text)[0].message

    def test_a_single_cell_out_of_step(self) -> None:
        assert places("A A B B\n C C D\nA A  D D") == [("board-parity", 3, 6)]

    def test_separate_islands_are_reported_with_their_places(self) -> None:
        text = "A A B B\n C C D   A\n\n D     D A"
        assert places(text) == [
            ("board-connected", 2, 10),
            ("board-connected", 4, 2),
            ("board-connected", 4, 8),
        ]
        assert "2 cells apart" in check(text)[2].message

    @pytest.mark.parametrize("text", ["A A A", "A A B C", "A A B\n C B"])
    def test_fewer_than_four_landscapes(self, text: str) -> None:
        assert codes(text) == ["board-landscapes"]
        assert "at least 4" in check(text)[0].message

    def test_more_landscapes_than_can_be_distinguished(self) -> None:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh"
        assert codes(" ".join(letters[:MAX_LANDSCAPES])) == []
        assert codes(" ".join(letters[: MAX_LANDSCAPES + 1])) == ["board-landscapes"]

    def test_more_rows_than_letters(self) -> None:
        rows = [" " * (r % 2) + "A B C D" for r in range(MAX_ROWS + 1)]
        assert places("\n".join(["", *rows])) == [("board-rows", 28, 1)]
        assert codes("\n".join(rows[:-1])) == []

    def test_numbers_beyond_the_bound(self) -> None:
        row = ["ABCD"[i % 4] for i in range(MAX_NUMBER + 1)]
        assert places(" ".join(row)) == [("board-numbers", 1, 2 * MAX_NUMBER + 1)]
        assert codes(" ".join(row[:-1])) == []

    def test_too_many_cells(self) -> None:
        rows = [" " * (r % 2) + " ".join("ABCD"[i % 4] for i in range(45)) for r in range(23)]
        assert codes("\n".join(rows)) == ["board-cells"]
        assert MAX_CELLS < 23 * 45

    def test_an_empty_map(self) -> None:
        for text in ("", "\n \n", ". . ."):
            assert codes(text) == ["board-empty"]

    def test_a_text_beyond_the_bound(self) -> None:
        assert codes("A" * (MAX_TEXT + 1)) == ["board-text-size"]

    @pytest.mark.parametrize("letter", ["\t", "\x00", "#", "\u200b", "\u00a0", "́", "\x1b"])
    def test_characters_that_are_neither_letter_nor_sea(self, letter: str) -> None:
        assert places(f"A B C D\n {letter} A") == [("board-character", 2, 2)]

    def test_a_map_that_is_not_text(self) -> None:
        for nothing in (None, 5, b"A B C D", ["A B C D"]):
            assert codes(nothing) == ["board-map"]
            with pytest.raises(InvalidBoard):
                Board.parse(nothing)  # type: ignore[arg-type]

    def test_all_problems_are_listed(self) -> None:
        with pytest.raises(InvalidBoard) as caught:
            Board.parse("A A#B\n CC", name="", landscapes={"Z": "lake", "A": "two words"})
        error = caught.value
        assert [problem.code for problem in error.problems] == [
            "board-landscapes",
            "board-character",
            "board-parity",
            "board-field",
            "landscape-keys",
            "landscape-keys",
        ]
        assert error.code == "board-landscapes"
        assert error.rule == "TN-1"
        assert "(and 5 more)" in error.message

    def test_two_letters_with_one_key(self) -> None:
        with pytest.raises(InvalidBoard, match="same key 'lake'"):
            Board.parse("A B C D", landscapes={"A": "lake", "B": "lake"})

    @given(st.text(alphabet="ABCD .\n\t#é\x00", max_size=200))
    def test_any_text_is_a_board_or_a_list_of_reasons(self, text: str) -> None:
        problems = check(text)
        if problems:
            with pytest.raises(InvalidBoard):
                Board.parse(text)
        else:
            board = Board.parse(text)
            assert Board.parse(board.to_text()) == board
            assert board.to_text() == Board.parse(board.to_text()).to_text()
            assert len(set(board.cells)) == len(board)


class TestFiles:
    def test_a_file_is_loaded(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(Board.parse(HONEYCOMB, "mine").to_toml(), encoding="utf-8")
        assert check_file(path) == []
        assert Board.load(path) == Board.parse(HONEYCOMB)

    def test_places_are_those_of_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_text(
            "name = 'mine'\nmap = '''\nA A B B\n C C D\nA#A D D\n'''\n", encoding="utf-8"
        )
        assert check_file(path) == [
            Problem(
                "board-character",
                "'#' is neither a landscape's letter nor sea (a space or '.')",
                5,
                2,
            )
        ]

    def test_a_bare_map_is_checked_too(self, tmp_path: Path) -> None:
        path = tmp_path / "map.txt"
        path.write_bytes(b"A A B B\r\n C C D\r\n")
        assert check_file(path) == []

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("name = ", "board-toml"),
            ("map = 'A B C D'", "board-field"),
            ("name = 'x'\nmap = 'A B C D'\nsize = 3", "board-field"),
            ("name = 3\nmap = 'A B C D'", "board-field"),
            ("name = 'x'\nmap = 3", "board-map"),
            ("name = 'x'\nmap = 'A B C D'\nlandscapes = 3", "landscape-keys"),
            ("name = 'x'\nmap = 'A B C D'\n[landscapes]\nA = 3", "landscape-keys"),
        ],
    )
    def test_what_is_wrong_with_a_file(self, tmp_path: Path, text: str, code: str) -> None:
        path = tmp_path / "bad.toml"
        path.write_text(text, encoding="utf-8")
        assert [problem.code for problem in check_file(path)] == [code]
        with pytest.raises(InvalidBoard) as caught:
            Board.load(path)
        assert caught.value.code == code

    @given(st.data())
    def test_a_mutated_file_is_a_board_or_a_list_of_reasons(self, data: st.DataObject) -> None:
        text = BOARDS["two-bays"].to_toml()
        for _ in range(data.draw(st.integers(1, 4))):
            at = data.draw(st.integers(0, len(text)))
            more = data.draw(st.text(max_size=4) | st.sampled_from(["'''", "[[a]]", "9" * 5000]))
            text = text[:at] + more + text[at + data.draw(st.integers(0, 40)) :]
        with suppress(InvalidBoard):
            board = Board.from_toml(text)
            assert Board.from_toml(board.to_toml()) == board

    def test_a_missing_or_binary_file(self, tmp_path: Path) -> None:
        assert [p.code for p in check_file(tmp_path / "no.toml")] == ["board-file"]
        (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
        assert [p.code for p in check_file(tmp_path / "bytes.toml")] == ["board-file"]
        (tmp_path / "long.txt").write_bytes(b" " * 200_000)
        assert [p.code for p in check_file(tmp_path / "long.txt")] == ["board-text-size"]
