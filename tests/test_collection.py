"""Cases are the same, in the same order, in every worker, whenever it collects."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from shared_data import ROOT


@pytest.mark.slow
def test_collection_is_the_same_at_another_second_and_with_other_hashes(
    request: pytest.FixtureRequest,
):
    again = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stdout[-2000:]
    found = [line for line in again.stdout.splitlines() if "::" in line]
    here = [item.nodeid for item in request.session.items]
    among = set(here)
    assert [name for name in found if name in among] == here
