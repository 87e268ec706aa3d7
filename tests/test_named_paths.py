"""Files, decisions and sections of METHODS that a page, the map or a comment names exist."""

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
SPAN = re.compile(r"`([^`]+)`")
NUMBER = r"\d+(?:[.]\d+)*"
CITED = re.compile(rf"\bMETHODS\s({NUMBER}(?:(?: `?\w+`?)?(?:,| and| to|-)\s?{NUMBER})*)", re.ASCII)
TEXT = {".py", ".pyi", ".hpp", ".cpp", ".md", ".toml"}
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
def is_there(named: str) -> bool:
    """As a path, or as the end of one."""
    return any(fnmatch(end, named) for end in known()) if "*" in named else named in known()


def missing(text: str) -> list[str]:
    return [named for named in NAMED.findall(text) if named not in OF_USERS and not is_there(named)]


def is_path(named: str) -> bool:
    """From the root or from the package."""
    wanted = {named.rstrip("/"), f"{PACKAGE}/{named.rstrip('/')}"}
    if "*" in named:
        return any(fnmatch(file.as_posix(), one) for file in project_files() for one in wanted)
    return not wanted.isdisjoint(known().get(named, ()))


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_paths_of_the_map_exist(page: str):
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    spans = [span for line in lines for span in SPAN.findall(line)]
    path = re.compile(rf"[\w.*-]+(?:/[\w.*-]+)*(?:/|(?<=[.])(?:{SOURCE}|toml))")
    named = {word for span in spans for word in span.split() if path.fullmatch(word)}
    assert named
    assert {one for one in named if not is_path(one)} == set()


def test_a_path_of_the_map_is_whole():
    assert is_path("studies/difficulty/cpl.py")
    assert is_path("studies/*/choice.py")
    assert not is_path("cpl.py")
    assert not is_path("studies/proposals/cpl.py")


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


def sections() -> set[str]:
    """The numbers of docs/methods.md, each with the anchor that follows from it."""
    heading = re.compile(r"^#+ (\d+(?:[.]\d+)?)[.]? .*\{ #m([\d-]+) \}$", re.MULTILINE)
    found = heading.findall((ROOT / "docs" / "methods.md").read_text(encoding="utf-8"))
    assert len(dict(found)) == len(found)
    assert [anchor for _, anchor in found] == [number.replace(".", "-") for number, _ in found]
    return {number for number, _ in found}


def cited(text: str) -> list[str]:
    """Sections in "METHODS 2.3", "METHODS 2.3 and 2.4", "METHODS 0.5 `coco`, 10", "METHODS 6.1-6.4"."""
    return [number for one in CITED.findall(text) for number in re.findall(rf"\b{NUMBER}", one)]


def test_sections_of_methods_that_files_cite_exist():
    known_sections = sections()
    files = [name for name in project_files() if name.suffix in TEXT]
    found = {
        (str(name), number)
        for name in files
        for number in cited((ROOT / name).read_text(encoding="utf-8"))
    }
    assert found
    assert {one for one in found if one[1] not in known_sections} == set()


@pytest.mark.parametrize("page", [page for page in GUIDE if page != "docs/methods.md"])
def test_the_guide_links_to_the_sections_it_cites(page: str):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(rf"\[METHODS ({NUMBER})\]\((?:[.][.]/)?methods[.]md#m([\d-]+)\)", text)
    assert [number for number, _ in links] == cited(text)
    assert [anchor for _, anchor in links] == [number.replace(".", "-") for number, _ in links]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(METHODS 2.3).", ["2.3"]),
        ("METHODS 2.3 and 2.4", ["2.3", "2.4"]),
        ("METHODS 0.6, 2.1 and 11 by words", ["0.6", "2.1", "11"]),
        ("METHODS 1.4 L2, 9.1 Loc", ["1.4", "9.1"]),
        ("METHODS 0.5 `coco`, 10), one", ["0.5", "10"]),
        ("METHODS 6.1-6.4, 8.4", ["6.1", "6.4", "8.4"]),
        ("METHODS 2.1, .15 times; METHODS 8 case 1", ["2.1", "8"]),
        ("METHODS 5.2: 2.25 %", ["5.2"]),
        ("METHODS = 9", []),
    ],
)
def test_cited_sections_are_found_in_text(text: str, numbers: list[str]):
    assert cited(text) == numbers


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
