"""Boxlens as a user runs it: a process of its own, and the demo set in a folder."""

from __future__ import annotations

import gzip
import subprocess
import sys
from importlib.resources import files
from pathlib import Path


def boxlens_process(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "boxlens", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def write_demo(folder: Path) -> Path:
    for name in ("ground_truth", "window", "region"):
        packed = (files("boxlens") / "demo" / f"{name}.json.gz").read_bytes()
        (folder / f"{name}.json").write_bytes(gzip.decompress(packed))
    return folder
