"""The guide cannot drift: its code runs, its output is what is printed, every option is in it."""

from __future__ import annotations

import argparse
import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from command_parsers import command_parsers
from documentation_pages import (
    Block,
    Command,
    agrees,
    blocks_of,
    commands_of,
    run_command,
    run_python,
)
from shared_data import ROOT

DEMO = ROOT / "src" / "boxlens" / "demo"
GUIDE = sorted((ROOT / "docs").glob("*.md"))
PAGES = [page for page in (ROOT / "README.md", *GUIDE) if page.exists()]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blocks = [block for block in blocks_of(page) if block.runs]
    for packed in DEMO.glob("*.json.gz"):
        (tmp_path / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks:
        if block.language == "python":
            run_python(block, namespace)
        elif block.language in {"console", "bash"}:
            for command in commands_of(block):
                printed = run_command(command, tmp_path)
                assert not command.expected or agrees(command.expected, printed), (
                    f"{page.name}:{block.line}: $ {command.line} now prints\n{printed}"
                )


def commands_of_the_app() -> dict[tuple[str, ...], set[str]]:
    """Every command of the command line with its visible long options."""
    found: dict[tuple[str, ...], set[str]] = {}
    for path, command in command_parsers().items():
        shown = [action for action in command._actions if action.help != argparse.SUPPRESS]
        names = {name for action in shown for name in action.option_strings}
        found[path] = {name for name in names if name.startswith("--")} - {"--help"}
    return found


def guide_text(verb: str | None = None) -> str:
    """The page of a verb, or the whole guide where it has none of its own."""
    assert GUIDE
    own = ROOT / "docs" / f"{verb}.md"
    pages = [own] if own in GUIDE else GUIDE
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def test_every_command_is_in_the_guide():
    commands = commands_of_the_app()
    text = guide_text()
    missing = [path for path in commands if path and f"boxlens {' '.join(path)}" not in text]
    assert missing == []


def test_every_option_is_on_the_page_of_its_command():
    missing = []
    for path, options in commands_of_the_app().items():
        text = guide_text(path[0] if path else None)
        missing += [
            f"{' '.join(('boxlens', *path))} {option}"
            for option in sorted(options)
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text)
        ]
    assert missing == []


def test_what_the_readme_does_not_run_the_guide_does():
    """Its long examples stand on the pages of their commands, which run them, word by word."""
    run = [
        command
        for page in GUIDE
        for block in blocks_of(page)
        if block.runs
        for command in commands_of(block)
    ]
    quoted = [
        command
        for block in blocks_of(ROOT / "README.md")
        if block.language == "console" and not block.runs
        for command in commands_of(block)
    ]
    assert quoted
    for command in quoted:
        (same,) = [one for one in run if one.line == command.line]
        assert set(command.expected) <= set(same.expected), command.line


PAGE = """\
# A page
```python
answer = 6 * 7
```
<!-- not run -->
```python
answer = 0
```
```console
$ make setup
made
$ boxlens one --flag \\
    two
first   line
...
$ boxlens three
```
   ```bash
   boxlens four
   make clean
   ```
```python
>>> answer
42
```
"""


@pytest.fixture
def blocks(tmp_path: Path) -> list[Block]:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    return blocks_of(page)


def test_blocks_are_found_with_their_language_and_line(blocks: list[Block]):
    languages = [block.language for block in blocks]
    assert languages == ["python", "python", "console", "bash", "python"]
    assert [block.runs for block in blocks] == [True, False, True, True, True]
    assert (blocks[0].line, blocks[0].lines) == (3, ("answer = 6 * 7",))


def test_commands_are_found_with_their_output(blocks: list[Block]):
    assert commands_of(blocks[2]) == [
        Command("boxlens one --flag two", ("first   line", "...")),
        Command("boxlens three", ()),
    ]
    assert commands_of(blocks[3]) == [Command("boxlens four", ())]


def test_python_blocks_share_a_namespace(blocks: list[Block]):
    namespace: dict[str, Any] = {}
    run_python(blocks[0], namespace)
    run_python(blocks[4], namespace)
    namespace["answer"] = 41
    with pytest.raises(AssertionError, match="Expected"):
        run_python(blocks[4], namespace)


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (("AP  .45",), "AP .45\n", True),
        (("AP .45",), "AP .46\n", False),
        (("AP .45",), "AP .45\nAR .50\n", False),
        (("AP .45", "..."), "AP .45\nAR .50\n", True),
        (("...", "AR .50"), "AP .45\n\nAR .50\n", True),
        (("done in ... s",), "done in 0.2 s\n", True),
        (("a.b",), "axb\n", False),
    ],
)
def test_output_agrees_white_space_aside(expected: tuple[str, ...], printed: str, same: bool):
    assert agrees(expected, printed) is same
