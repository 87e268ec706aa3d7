"""Installs what the optional parts need, without building Boxlens once more."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Gigabytes, and few need it: `make torch` installs it.
HEAVY = ("torch",)


def requirements() -> list[str]:
    """Those of all but heavy extras; one that names others of Boxlens adds nothing of its own."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    light = [extra for name, extra in extras.items() if name not in HEAVY]
    listed = {requirement for extra in light for requirement in extra}
    return sorted(one for one in listed if not re.match(r"boxlens\b", one))


def main() -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    done = subprocess.run([*pip, "install", *requirements()], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit("boxlens: the packages of the extras could not be installed")


if __name__ == "__main__":
    main()
