"""Installs what builds the kernel beside it, so that a rebuild compiles only what changed.

An isolated build would start from nothing every time: its tools live in a new folder.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def install(requirements: list[str]) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    if requirements:
        subprocess.run([*pip, "install", *requirements], cwd=ROOT, check=True)


def main() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        install(tomllib.load(file)["build-system"]["requires"])
    # Asked in a new process, as the packages have only just arrived: CMake and Ninja if absent.
    ask = "import scikit_build_core.build as b; print(*b.get_requires_for_build_editable({}))"
    answer = subprocess.run(
        [sys.executable, "-c", ask], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    install(answer.stdout.split())


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as problem:
        sys.exit(f"boxlens: the build tools could not be installed ({problem})")
