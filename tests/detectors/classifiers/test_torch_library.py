"""torch is imported when it is needed, and where it is absent the way to get it is told."""

from __future__ import annotations

import subprocess
import sys

import pytest

from boxlens.detectors.classifiers.torch.opening import builder
from boxlens.detectors.classifiers.torch.training import fine_tune
from boxlens.errors import MissingExtraError
from detectors.classifiers.torch_toys import tiny, toy_crops
from running import PATIENCE_S

LAZY = """
import sys
import boxlens.detectors.classifiers.saved_classifiers
import boxlens.detectors.classifiers.torch.training
sys.exit("torch" in sys.modules or "cv2" in sys.modules)
"""


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for needs_torch in (lambda: builder("torch:small"), lambda: fine_tune(tiny, toy_crops(2))):
        with pytest.raises(MissingExtraError, match=r"pip install 'boxlens\[torch\]'"):
            needs_torch()


def test_torch_is_not_imported_before_it_is_needed():
    assert (
        subprocess.run([sys.executable, "-c", LAZY], check=False, timeout=PATIENCE_S).returncode
        == 0
    )
