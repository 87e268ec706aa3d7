"""The house rules that no linter knows: names, sizes, paths, the map."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from shared_data import ROOT

BANNED_NAMES = {"utils", "helpers", "common", "misc", "core", "base"}
LINE_LIMIT = 400
NOT_SOURCE = {".git", ".venv", "build", "dist", "out", "__pycache__", ".hypothesis"}

# A path of one machine, unless it is the tail of a longer path, a variable or an address.
MACHINE_PATH = re.compile(r"(?<![\w.:/~})-])/(?:work|root|home|Users|opt|mnt)/\w")
PACKAGE_REGISTRY = re.compile(
    r"pythonhosted[.]org|pypi[.]org/simple|registry[.]npmjs|index-url[ =]|find-links[ =]|artifactor[y]",
)
# "one row per class", not "a row a class".
A_ROW_A_CLASS = re.compile(
    r"\b(?:one|a) (?:row|column|value|line|file|block|score|entry) an? "
    r"(?:class|image|object|picture|detector|method|box|window|step|trial|format)\b",
    re.IGNORECASE,
)


def project_files() -> list[Path]:
    """What git tracks or would track; without git, everything that is not made by a tool."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0 and listing.stdout:
        names = {Path(name) for name in listing.stdout.split("\0") if name}
    else:
        names = {path.relative_to(ROOT) for path in ROOT.rglob("*")}
        names = {name for name in names if not (set(name.parts) & NOT_SOURCE)}
        names = {name for name in names if not any(part.endswith("_cache") for part in name.parts)}
    return sorted(name for name in names if (ROOT / name).is_file())


def lines_that_match(pattern: re.Pattern[str]) -> list[str]:
    found = []
    for name in project_files():
        content = (ROOT / name).read_bytes()
        if b"\0" in content:
            continue
        lines = content.decode("utf-8").splitlines()
        found += [
            f"{name}:{n}: {line.strip()}" for n, line in enumerate(lines, 1) if pattern.search(line)
        ]
    return found


def test_the_project_is_found():
    names = {str(name) for name in project_files()}
    assert {"pyproject.toml", "Makefile", "src/boxlens/__init__.py"} <= names


def test_no_file_or_folder_has_a_name_that_says_nothing():
    def words(name: Path) -> set[str]:
        return {part.split(".")[0].strip("_").removeprefix("test_").lower() for part in name.parts}

    assert [str(name) for name in project_files() if words(name) & BANNED_NAMES] == []


def test_no_path_of_one_machine_is_written_down():
    assert lines_that_match(MACHINE_PATH) == []


def test_no_package_registry_is_written_down():
    assert lines_that_match(PACKAGE_REGISTRY) == []


def test_rows_are_per_class():
    here = "tests/test_repository.py"
    assert [line for line in lines_that_match(A_ROW_A_CLASS) if not line.startswith(here)] == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("see /ho" + "me/ann/data", True),
        ('path = "/wo' + 'rk/data"', True),
        ("https://example.org/home/page", False),
        ("docs/home/page.md", False),
        ("$(HERE)/opt/file", False),
        ("#!/usr/bin/env bash", False),
    ],
)
def test_machine_paths_are_told_from_others(line: str, found: bool):
    assert bool(MACHINE_PATH.search(line)) is found


def test_source_files_stay_small():
    sources = [name for name in project_files() if name.parts[0] in {"src", "cpp"}]
    sources = [name for name in sources if name.suffix in {".py", ".pyi", ".hpp", ".cpp", ".h"}]
    lengths = {str(name): len((ROOT / name).read_bytes().splitlines()) for name in sources}
    assert {name: n for name, n in lengths.items() if n > LINE_LIMIT} == {}


def test_every_room_is_on_the_map_and_the_map_is_short():
    folders = {
        name.parts[2:depth]
        for name in project_files()
        if name.parts[:2] == ("src", "boxlens")
        for depth in ((3, 4) if name.parts[2] in {"studies", "report"} else (3,))
        if depth < len(name.parts)
    }
    map_text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert {one for one in folders if f"`{'/'.join(one)}/`" not in map_text} == set()
    assert len(map_text.splitlines()) < 150


@pytest.mark.parametrize(
    "name",
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", ".ci/run"],
)
def test_the_front_desk_is_staffed(name: str):
    assert (ROOT / name).is_file()


def test_the_changelog_has_a_place_for_what_is_new():
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_links_between_files_lead_somewhere():
    """Those of the guide's pages are checked where it is built."""
    link = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
    pages = [name for name in project_files() if name.suffix == ".md" and name.parts[0] != "docs"]
    assert Path("benchmarks/README.md") in pages
    dead = [
        f"{page}: {target}"
        for page in pages
        for target in link.findall((ROOT / page).read_text(encoding="utf-8"))
        if not (ROOT / page.parent / target).exists()
    ]
    assert dead == []
