"""Every public name says what it is, and the examples in docstrings run on the demo's files."""

from __future__ import annotations

import doctest
import inspect
import os
import sys
from pathlib import Path

import pytest

import boxlens
from running import boxlens_here
from shared_data import ROOT

PUBLIC = [name for name in boxlens.__all__ if not name.startswith("_")]
# Functions that ask no question.
READERS = {
    *("convert", "figures", "open_generator", "read_dataset", "read_detections"),
    *("write_dataset", "write_detections"),
}
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(boxlens, name))]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    boxlens_here("demo", "--files", ".", cwd=folder)
    return folder


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring(name):
    assert inspect.getdoc(getattr(boxlens, name))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in READERS])
def test_docstrings_of_verbs_name_every_setting(name):
    verb = getattr(boxlens, name)
    told = inspect.getdoc(verb) or ""
    missing = [one for one in inspect.signature(verb).parameters if f"`{one}`" not in told]
    assert missing == []
    assert ">>> " in told


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_docstrings_run(name, demo, monkeypatch):
    """`gt` is the demo's ground truth, `dt` and `other_dt` are its two detectors."""
    monkeypatch.chdir(demo)
    known = {"gt": "ground_truth.json", "dt": "window.json", "other_dt": "region.json"}
    assert all((demo / file).is_file() for file in known.values())
    one = getattr(boxlens, name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    globs = {"boxlens": boxlens, name: one, "os": os, **known}
    finder = doctest.DocTestFinder(recurse=False)
    for test in finder.find(one, name, globs=globs):
        found = doctest.DocTestRunner(optionflags=flags).run(test)
        assert found.failed == 0


def test_the_page_of_the_guide_is_made_from_the_docstrings():
    sys.path.insert(0, str(ROOT / "scripts"))
    from make_api_page import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run scripts/make_api_page.py"
