"""Checks the wording of the project: `python -m tests.plain` prints what to change, and fails if there is anything.

Four things are checked: that no catalogue of the page uses a word that docs/glossary.md rejects, that its quotes and spaces
are those of its language, that no English text uses phrases that make it hard to read, and that no document has
a line twice. Patterns can't find everything: read texts yourself too.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCALES = ROOT / "web" / "src" / "locales"
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"\n]*\"")

HABITS = {
    r"(?<!here )(?<!here’s )\b(is|are|was|were) no (?!longer\b|more than\b|less than\b|fewer than\b)": "is not a …",
    r"\bthe own\b": "their own, your own",
    r"(?i)\bso many\b(?! that)": "that many",
    r"\btells\b|\b(is|are|was|be|been) told\b": "shows, reports, describes",
    r"\b(go|goes|went|come|comes|taken?|takes) (along|out by)\b": "is kept, is sent",
    r"\bby (itself|themselves)\b": "automatically, alone",
    r"\bon the average\b": "on average",
    r"\bis thought about\b|\bbegun with\b|\bunder way\b": "say who does what",
    r"\bnobody['’]s business\b|\bnot as they should be\b": "say what is meant",
    r"\blearnt again\b": "trained again",
    r"\b(dearer|robbed|fresh island|for good)\b": "more expensive, taken, new, permanently",
    r"\bwith which\b": "that … with",
    r"\boverrules?\b": "override",
    r"(?:^|[.;:] )Whose\b(?![^.]*\?)": "a player whose …",
    r", also (?=(?:after|at|before|by|from|if|in|offline|the|those|when|where|while|without)\b)": "even, including",
    r"\b(say|says) of\b": "says about",
    r"\b(hears?|heard|tells?) of\b": "is notified of, names",
    r"\bless (actions|cells|cubes|flags|games|people|points|seats|stones|turns)\b": "fewer",
    r"\bin the shape of a (game|record|turn)\b": "in the form of",
    r"\bcall(s|ed)? (it |everything |that )?off\b": "cancel, stop",
    r"\b(take|takes|taken|took) up again\b": "resume",
    r"\ball the same\b": "nevertheless, still",
    r"\bfor want of\b": "for lack of",
    r"\bin the round\b(?! \|)": "in the 3D view",
    r"\bworthless\b|\bworth nothing\b": "revoked, no longer valid",
    r"\b[Ww]hat (became|becomes|came) of\b": "its result, its state",
    r"^Nothing, or\b": "Raise …",
    r"\bof the house\b": "built-in, ours",
    r"\bmade up beforehand\b": "prepared",
    r"\bin no time\b": "fast",
    r"\bwould be no \w+\b": "would have no effect",
    r"\banew\b": "again, from scratch",
    r"\b(go|goes|went) on(?! (?:an?|any|the|them|this|it)\b)\b": "continue",
    r"\bgives? (what undoes|what ends|whether)\b": "returns",
    r"\b(hears|heard|want to hear)\b": "receives, is notified",
    r"\bwith a memory\b": "memoised",
    r"\bfor ever\b": "forever",
    r"\bgives? way\b|\bgave way\b": "waits, stops, lets others run",
    r"\bwhatever the reason\b": "say which reasons",
    r"\bdealt with\b": "closed, handled",
    r"\bin the manner of\b": "like",
    r"\bcomes? to (its|an|their) end\b": "ends",
    r"\bas (things|they|it) (now )?stands? (now|here)\b": "the current …",
}


def rejected() -> Iterator[tuple[str, re.Pattern[str], str, list[str]]]:
    """The words that the glossary rejects: language, pattern, what to say instead, and in which catalogues."""
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8").split("## Words we do not use", 1)[1]
    for row in re.findall(r"^\| (\w\w) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", text, re.M):
        language, word, instead, areas = (field.strip() for field in row)
        pattern = re.escape(word).replace(r"\*", r"\w*")
        found = [] if areas == "all" else areas.split(", ")
        yield language, re.compile(rf"\b{pattern}\b", re.I), instead, found


def texts(language: str) -> Iterator[tuple[str, str, str]]:
    """Every text of a language: its catalogue, its key, and the text without the names of its values."""
    for path in sorted((LOCALES / language).glob("*.json")):
        for key, text in json.loads(path.read_text("utf-8")).items():
            yield path.stem, key, re.sub(r"\{\w+", "{", text)


def wrong_words() -> Iterator[str]:
    """Where a catalogue uses a word that the glossary rejects."""
    for language, pattern, instead, areas in rejected():
        for area, key, text in texts(language):
            if (not areas or area in areas) and pattern.search(text):
                yield f"{language}/{area}.json {key}: {pattern.pattern} → {instead}"


EVERYWHERE = {
    r"['\"]": "’ and the quotes of the language",
    r"\.\.\.": "…",
    r"  |^\s|\s$": "one space between words",
    r"[^\u00a0]×|×[^\u00a0]": "a no-break space on both sides of ×",
    r"—| - |--": "a comma, a colon or two sentences",
}
TYPOGRAPHY = {
    "en": {r"[„«»]": "“ ”", r"\s[:;!?%]": "no space before it"},
    "fr": {r"[“”„]": "« »", r"[^\u202f][:;!?»%]|«[^\u202f]": "a narrow no-break space"},
    "nl": {r"[“”„«»]": "‘ ’", r"\s[:;!?%]": "no space before it"},
    "sv": {r"[“„«»]": "” ”", r"\s[:;!?]": "no space before it", "[^\u00a0]%": "a no-break space"},
    "de": {r"[”«»]": "„ “", r"\s[:;!?]": "no space before it", "[^\u00a0]%": "a no-break space"},
    "it": {r"[“”„‘]": "« »", r"\s[:;!?%»]|«\s": "no space inside quotes or before it"},
}


def typography_in(language: str, text: str) -> Iterator[str]:
    """The quotes and spaces in a text that its language does not use."""
    for pattern, instead in (EVERYWHERE | TYPOGRAPHY[language]).items():
        if found := re.search(pattern, text):
            yield f"“{found[0]}” → {instead}"


def typography() -> Iterator[str]:
    """Where a catalogue has the quotes or the spaces of another language."""
    for language in TYPOGRAPHY:
        for area, key, text in texts(language):
            for problem in typography_in(language, text):
                yield f"{language}/{area}.json {key}: {problem}"


def habits_in(place: str, text: str) -> Iterator[str]:
    """The hard phrases in a text, except in quotations."""
    plain = QUOTED.sub("“”", text)
    for pattern, instead in HABITS.items():
        for found in re.finditer(pattern, plain, re.M):
            line = plain.count("\n", 0, found.start()) + 1
            yield f"{place}:{line}: “{found[0].strip()}” → {instead}"


def documents() -> Iterator[tuple[str, str]]:
    """Every document, without its code."""
    for path in DOCUMENTS:
        text = re.sub(
            r"^```.*?^```",
            lambda code: "\n" * code[0].count("\n"),
            path.read_text("utf-8"),
            flags=re.M | re.S,
        )
        yield str(path.relative_to(ROOT)), text


def docstrings() -> Iterator[tuple[str, str]]:
    """The docstrings of the package and its tests."""
    for folder in ("src", "tests", "bench", "examples"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(
                    node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
                ):
                    text = ast.get_docstring(node)
                    name = getattr(node, "name", "")
                    if text and path != Path(__file__).resolve():
                        yield f"{path.relative_to(ROOT)} {name}", text


def messages() -> Iterator[tuple[str, str]]:
    """String literals of the package with four words or more: texts of errors and of the command line."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        parts = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                text = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "…"
                    for part in node.values
                )
            elif (
                isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts
            ):
                text = node.value
            else:
                continue
            if "\n" not in text and text.count(" ") >= 3:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", text
    for path in sorted(one for end in ("pyx", "pxi") for one in (ROOT / "src").rglob(f"*.{end}")):
        source = path.read_text("utf-8")
        for found in re.finditer(r'(?<!")"([^"\n]+)"(?!")', source):
            if found[1].count(" ") >= 3:
                line = source.count("\n", 0, found.start()) + 1
                yield f"{path.relative_to(ROOT)}:{line}", found[1]


def repeated() -> Iterator[str]:
    """Lines of prose that a document has twice, for instance after a merge."""
    for place, text in documents():
        seen: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) < 60 or line.startswith("|"):
                continue
            if first := seen.get(line):
                yield f"{place}:{number}: the same line as {first}"
            seen.setdefault(line, number)


# a comment begins a line or follows two spaces; other # and // are inside strings
HASH = re.compile(r"(?:^|  )# (.*)", re.M)
COMMENT = {
    ("*.py", "*.pyi"): HASH,
    ("*.pyx", "*.pxd", "*.pxi"): re.compile(r'(?:^|  )# ([^\n]*)|"""(.*?)"""', re.M | re.S),
    ("*.ts", "*.svelte", "*.css"): re.compile(
        r"(?:^|\s)//\s([^\n]*)|/\*\*?(.*?)\*/|<!--(.*?)-->", re.M | re.S
    ),
}


def sources() -> Iterator[tuple[Path, re.Pattern[str]]]:
    """Every source with the pattern of its comments."""
    for folder in ("src", "tests", "bench", "examples", "web/src", "web/tests"):
        for names, pattern in COMMENT.items():
            for path in sorted(one for name in names for one in (ROOT / folder).rglob(name)):
                if path != Path(__file__).resolve() and path.name != "openapi.d.ts":
                    yield path, pattern
    scripts = [ROOT / "Makefile", ROOT / "setup.py", ROOT / "web" / "page.py"]
    for path in (*scripts, *sorted((ROOT / "deploy").iterdir())):
        yield path, HASH


def comments() -> Iterator[tuple[str, str]]:
    """Comments of all sources, and the docstrings of compiled modules."""
    for path, pattern in sources():
        text = path.read_text("utf-8")
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            said = next(group for group in found.groups() if group is not None)
            yield f"{path.relative_to(ROOT)}:{line}", said


def problems() -> list[str]:
    """Everything that should be written differently."""
    found = [*wrong_words(), *typography(), *repeated()]
    for area, key, text in texts("en"):
        found += habits_in(f"en/{area}.json {key}", text)
    for place, text in (*documents(), *docstrings(), *comments(), *messages()):
        found += habits_in(place, text)
    return found


def main() -> None:
    found = problems()
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
