"""Every script in examples/ runs and prints something."""

from __future__ import annotations

import subprocess
import sys

import pytest

from shared_data import ROOT

SCRIPTS = sorted(
    path for path in (ROOT / "examples").glob("*.py") if path.name != "make_demo_data.py"
)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_runs(script, tmp_path):
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
