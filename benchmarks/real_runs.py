"""Runs of the command whose results stay in files, and their numbers as the guide writes them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proposing import SHARED
from run import FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ROOT = FOLDER.parent
KEEP = ROOT / "build" / "real-pictures"
# Done, but some pictures failed: the result lists them.
SOME_FAILED = 3


@dataclass(frozen=True)
class Runs:
    """Every result is made once; the commands go on by themselves where they were stopped."""

    folder: Path
    # A trial on so few pictures; None: as many as the guide tells of.
    n_images: int | None = None

    def run(self, name: str, words: Sequence[Any]) -> None:
        """`boxlens` with these words, unless its result is there."""
        output = self.folder / f"{name}.json"
        if output.exists():
            return
        print("running", name, file=sys.stderr)
        part = output.with_name(f"part-{output.name}")
        boxlens([*words, "--json", part])
        document = json.loads(part.read_text(encoding="utf-8"))
        document["command"] = _shown(words)
        part.write_text(json.dumps(document), encoding="utf-8")
        part.replace(output)

    def found(self, name: str) -> dict[str, Any] | None:
        path = self.folder / f"{name}.json"
        if not path.exists():
            return None
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return document

    def demo(self) -> Path:
        """The demo's files."""
        folder = self.folder / "demo"
        if not (folder / "images").exists():
            boxlens(["demo", "--files", folder])
        return folder


def boxlens(words: Sequence[Any]) -> None:
    command = [sys.executable, "-m", "boxlens", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, SOME_FAILED):
        raise SystemExit(f"boxlens {words[0]} failed with exit code {done.returncode}")


def _shown(words: Sequence[Any]) -> str:
    """As one would type it in the checkout."""
    text = " ".join(["boxlens", *map(str, words)])
    return text.replace(str(SHARED), "DATA").replace(f"{ROOT}/", "")


def told(document: dict[str, Any]) -> str:
    return f"```console\n$ {document['command']}\n```"


def code(name: str) -> str:
    return f"`{name}`"


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Names to the left, numbers to the right."""
    first, *others = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([first, "| --- |" + " ---: |" * (len(rows[0]) - 1), *others])
