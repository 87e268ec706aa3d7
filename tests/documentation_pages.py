"""Reads the code blocks of a Markdown page, runs them, and compares what they print."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from running import PATIENCE_S

NOT_RUN = "<!-- not run -->"
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}) *(?P<language>\w*)")


@dataclass(frozen=True)
class Block:
    page: Path
    line: int  # of its first line of code, from 1
    language: str
    lines: tuple[str, ...]
    runs: bool


@dataclass(frozen=True)
class Command:
    line: str
    expected: tuple[str, ...]  # empty: anything may be printed


def blocks_of(page: Path) -> list[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks: list[Block] = []
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if opening is None:
            number += 1
            continue
        begin = end = number + 1
        while end < len(lines) and lines[end].strip() != opening["ticks"]:
            end += 1
        code = tuple(line.removeprefix(opening["indent"]) for line in lines[begin:end])
        runs = number == 0 or lines[number - 1].strip() != NOT_RUN
        blocks.append(Block(page, begin + 1, opening["language"], code, runs))
        number = end + 1
    return blocks


def commands_of(block: Block) -> list[Command]:
    """`$ boxlens ...` with the output below it; without any `$`, every `boxlens ...` line."""
    prompt = "$ " if any(line.startswith("$ ") for line in block.lines) else ""
    commands: list[Command] = []
    listening = False
    lines = iter(block.lines)
    for line in lines:
        if prompt and not line.startswith(prompt):
            if listening:
                last = commands.pop()
                commands.append(Command(last.line, (*last.expected, line)))
            continue
        text = line.removeprefix(prompt)
        while text.endswith("\\"):
            text = text.removesuffix("\\") + next(lines).strip().removeprefix("> ")
        listening = text.split(" ")[0] == "boxlens"
        if listening:
            commands.append(Command(text, ()))
    return commands


def run_command(command: Command, folder: Path) -> str:
    """Runs it in a shell, so that pipes and redirections work; gives what it printed."""
    python = shlex.quote(sys.executable)
    done = subprocess.run(
        [
            "bash",
            "-o",
            "pipefail",
            "-c",
            f'boxlens() {{ {python} -m boxlens "$@"; }}\n{command.line}',
        ],
        cwd=folder,
        env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, (
        f"$ {command.line}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
    )
    return done.stdout


def run_python(block: Block, namespace: dict[str, Any]) -> None:
    """Plain code, or a `>>>` session whose output is compared."""
    source = "\n".join(block.lines) + "\n"
    place = f"{block.page.name}:{block.line}"
    if source.lstrip().startswith(">>>"):
        session = doctest.DocTestParser().get_doctest(source, namespace, place, place, block.line)
        session.globs = namespace  # the parser copies it
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=flags)
        runner.run(session, out=report.append, clear_globs=False)
        assert not report, "".join(report)
    else:
        # Empty lines in front make a traceback name the line of the page.
        code = compile("\n" * (block.line - 1) + source, str(block.page), "exec")
        exec(code, namespace)


def agrees(expected: tuple[str, ...], printed: str) -> bool:
    """White space aside; a line `...` stands for any lines, `...` within one for any text."""
    wanted = [" ".join(line.split()) for line in expected if line.strip()]
    got = "".join(" ".join(line.split()) + "\n" for line in printed.splitlines() if line.strip())
    pattern = "".join(
        r"(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in wanted
    )
    return re.fullmatch(pattern, got) is not None
