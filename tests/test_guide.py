"""The built guide: complete, every command has its page, and no page asks another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from shared_data import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
# An address with a host, wherever a browser would follow it by itself or on a click.
ELSEWHERE = re.compile(
    r"""(?:\b(?:src|href|srcset|action|content|poster)\s*=\s*["']?|url\(\s*["']?|@import\s+["'])"""
    r"""(?:https?:)?//[^"')\s>]+""",
    re.IGNORECASE,
)
# Screenshots and figures are for looking at: none needs more, and a checkout stays small.
LARGEST_FIGURE = 400_000
ALL_FIGURES = 2_700_000


def nav_entries(node: object) -> list[str]:
    if isinstance(node, str):
        return [node]
    children = node.values() if isinstance(node, dict) else node
    return [entry for child in children for entry in nav_entries(child)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the guide is built by the dependency group docs")
    pytest.importorskip("material", reason="the guide is built by the dependency group docs")
    target = tmp_path_factory.mktemp("guide")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(
        [*build, "--config-file", str(ROOT / "mkdocs.yml"), "--site-dir", str(target)],
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def test_every_page_is_in_the_navigation_once():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(nav_entries(settings["nav"])) == PAGES


def test_every_command_has_a_page():
    from boxlens.cli import parser

    commands = next(action.choices for action in parser()._actions if action.choices)
    missing = [name for name in commands if f"{name}.md" not in PAGES]
    assert missing == []


def test_the_index_names_every_page():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([\w/-]+\.md)", text))
    assert {page for page in PAGES if "/" not in page} - {"index.md"} <= named


def test_every_decision_is_in_their_index():
    text = (DOCS / "adr" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (DOCS / "adr").glob("0*.md")}
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", text)) == pages


def test_the_guide_builds_without_a_warning(site: Path):
    built = {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")}
    assert set(PAGES) <= built


def test_no_page_refers_to_another_host(site: Path):
    files = [path for path in site.rglob("*") if path.suffix in {".html", ".css", ".svg"}]
    assert files
    found = {
        f"{path.relative_to(site)}: {match.group()}"
        for path in files
        for match in ELSEWHERE.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://example.org/x.js">', True),
        ("<link href=//example.org/x.css>", True),
        ("a { background: url('http://example.org/x.png') }", True),
        ('<a href="evaluate.html#method">', False),
        ("<code>https://example.org</code>", False),
        ('<svg xmlns="http://www.w3.org/2000/svg">', False),
    ],
)
def test_addresses_of_other_hosts_are_told_from_names(text: str, found: bool):
    assert bool(ELSEWHERE.search(text)) is found


def test_figures_are_used_and_small():
    figures = [path for path in (DOCS / "figures").rglob("*") if path.is_file()]
    pages = [*DOCS.rglob("*.md"), ROOT / "README.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert [path.name for path in figures if path.name not in text] == []
    sizes = {path.name: path.stat().st_size for path in figures}
    assert {name: size for name, size in sizes.items() if size > LARGEST_FIGURE} == {}
    assert sum(sizes.values()) <= ALL_FIGURES
