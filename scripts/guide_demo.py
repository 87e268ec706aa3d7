"""The demo's files and the runs over them that the pictures of the guide are made from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"


def boxlens(*arguments: str, folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "boxlens", *arguments],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def put_demo_files(folder: Path) -> None:
    """ground_truth.json, window.json, region.json and their pictures in images/."""
    boxlens("demo", "--files", ".", folder=folder)
