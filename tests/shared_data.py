"""Real data beside the checkout; tests that need it skip with a reason where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared(*parts: str) -> Path:
    folder = Path(os.environ.get("BOXLENS_SHARED_DATA", ROOT.parent / "shared" / "data"))
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs real data: {'/'.join(parts)} (set BOXLENS_SHARED_DATA)")
    return path
