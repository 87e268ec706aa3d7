"""Whatever a page of the guide, the map or a comment calls a file of the repository is one."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from shared_data import ROOT
from test_repository import project_files

PACKAGE = "src/boxlens"
TOP = ("src", "docs", "tests", "cpp", "examples", "benchmarks", "scripts")
# Of files that users have or get, only the repository's own are known by their ending.
SOURCE = "py|pyi|hpp|cpp|md"
NAMED = re.compile(
    rf"(?<![\w:.{{}}<>/*$-])(?:(?:{'|'.join(TOP)})/[\w.*/-]*[\w*/]|[\w.*/-]+[.](?:{SOURCE}))"
    r"(?![\w/({-])"
)
# Not tracked: what a benchmark makes.
OF_USERS = ("benchmarks/data", "benchmarks/data/")
# A section of the map tells of one folder: "### formats, folder by folder", "### cpp, ...".
SECTION = re.compile(r"^#+ (?:The )?`?(\w+)/?`?, (?:file|folder) by")
SPAN = re.compile(r"`([^`]+)`")
GUIDE = [
    "README.md",
    *(f"docs/{page.relative_to(ROOT / 'docs')}" for page in sorted((ROOT / "docs").rglob("*.md"))),
]


@cache
def known() -> dict[str, set[str]]:
    """Every end of a path, as in matching/rules.py and rules.py, and the paths that have it."""
    ends: dict[str, set[str]] = {}
    for file in project_files():
        for path in (file, *file.parents):
            mark = "" if path == file else "/"
            for start in range(len(path.parts)):
                end = "/".join(path.parts[start:])
                ends.setdefault(end, set()).add(path.as_posix())
                ends.setdefault(f"{end}{mark}", set()).add(path.as_posix())
    return ends


@cache
def is_there(named: str, folder: str = "") -> bool:
    """As a path from the root or the package, or as the end of one below the folder."""
    if "*" in named:
        places = {place for end in known() if fnmatch(end, named) for place in known()[end]}
    else:
        places = known().get(named, set())
    whole = {named.rstrip("/"), f"{PACKAGE}/{named.rstrip('/')}"}
    return any(place.startswith(folder) or place in whole for place in places)


def missing(text: str, folder: str = "") -> list[str]:
    return [
        named
        for named in NAMED.findall(text)
        if named not in OF_USERS and not is_there(named, folder)
    ]


def named_in_spans(line: str) -> list[str]:
    """Words of inline code that are file names, or folders with their slash."""
    words = [word for span in SPAN.findall(line) for word in span.split()]
    path = re.compile(rf"[\w.*-]+(?:/[\w.*-]+)*(?:/|(?<=[.])(?:{SOURCE}|toml|typ|css|js))")
    return [word for word in words if path.fullmatch(word)]


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_and_folders_of_the_map_exist(page: str):
    gone, folder = [], ""
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            found = SECTION.match(line)
            room = found[1] if found else ""
            folder = f"{room}/" if room in TOP else f"{PACKAGE}/{room}/" if room else ""
        gone += [
            f"{page}:{number}: {named}"
            for named in named_in_spans(line)
            if not is_there(named, folder)
        ]
    assert gone == []


def test_sections_of_the_map_tell_of_their_folders():
    """Else a file that moved to another room would pass."""
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    rooms = {found[1] for line in lines if (found := SECTION.match(line))}
    assert {"formats", "scenes", "diagnosis", "dataset_difficulty", "proposals", "cpp"} <= rooms
    assert not is_there("generated_windows.py", f"{PACKAGE}/dataset_difficulty/")
    assert not is_there("cpl.py", f"{PACKAGE}/proposals/")
    assert is_there("cpl.py", f"{PACKAGE}/dataset_difficulty/")


@pytest.mark.parametrize("page", GUIDE)
def test_files_that_the_guide_names_exist(page: str):
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    gone = [
        f"{page}:{number}: {named}"
        for number, line in enumerate(lines, 1)
        for span in SPAN.findall(line)
        for named in missing(span)
    ]
    assert gone == []


def comments(path: Path) -> list[tuple[int, str]]:
    """Comments and docstrings with their lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in {".hpp", ".cpp"}:
        return [(n, line.partition("//")[2]) for n, line in enumerate(text.splitlines(), 1)]
    found = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            told = ast.get_docstring(node)
            found += [(node.body[0].lineno, told)] if told else []
    return found


def test_files_that_comments_point_to_exist():
    sources = [
        name
        for name in project_files()
        if name.parts[0] in {"src", "cpp", "tests", "examples", "benchmarks", "scripts"}
        and name.suffix in {".py", ".pyi", ".hpp", ".cpp"}
    ]
    gone = [
        f"{name}:{line}: {named}"
        for name in sources
        # Code is taken apart only where a name is to be looked at more closely.
        if missing((ROOT / name).read_text(encoding="utf-8"))
        for line, text in comments(ROOT / name)
        for named in missing(text)
    ]
    assert gone == []


def test_decisions_that_comments_cite_exist():
    pages = {int(page.name[:4]) for page in (ROOT / "docs" / "adr").glob("[0-9]*.md")}
    cited = {
        (str(name), int(number))
        for name in project_files()
        if name.parts[0] == "src" and name.suffix == ".py"
        for number in re.findall(r"\bADR (\d+)", (ROOT / name).read_text(encoding="utf-8"))
    }
    assert cited
    assert {one for one in cited if one[1] not in pages} == set()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("as in `surfaces.py`", ["surfaces.py"]),
        ("see nowhere/to_be_found.hpp.", ["nowhere/to_be_found.hpp"]),
        ("tests/no_such_folder holds them", ["tests/no_such_folder"]),
        ("cli/evaluate_table.py", ["cli/evaluate_table.py"]),
        ("docs/*.md, textures.py, tests/laws/ and pyproject.toml", []),
        ("report.html, out/results.json, METHOD:FILE.json and https://example.org/a.md", []),
    ],
    ids=["word", "path", "folder", "moved", "there", "of users"],
)
def test_names_of_files_are_found_in_text(text: str, named: list[str]):
    assert missing(text) == named
