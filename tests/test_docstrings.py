"""Public names, fields and methods say what they are; examples run on the demo's files."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import sys
from pathlib import Path

import pytest

import boxlens
from running import boxlens_here
from shared_data import ROOT

PUBLIC = [name for name in boxlens.__all__ if not name.startswith("_")]
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(boxlens, name))]
CLASSES = [name for name in PUBLIC if inspect.isclass(getattr(boxlens, name))]

sys.path.insert(0, str(ROOT / "scripts"))
from make_api_page import PAGE, field_notes, own_methods, page  # noqa: E402 - a script of the root


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    boxlens_here("demo", "--files", ".", cwd=folder)
    return folder


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring(name):
    assert inspect.getdoc(getattr(boxlens, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_of_functions_name_every_setting(name):
    function = getattr(boxlens, name)
    told = inspect.getdoc(function) or ""
    missing = [one for one in inspect.signature(function).parameters if f"`{one}`" not in told]
    assert missing == []


def test_every_public_name_is_a_function_or_a_class():
    assert sorted([*FUNCTIONS, *CLASSES]) == sorted(PUBLIC)


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_and_method_of_public_classes_has_text(name):
    for one in getattr(boxlens, name).__mro__:
        if not one.__module__.startswith("boxlens."):
            continue
        told = {field: text for field, (_, text) in field_notes(one).items()}
        told |= {key: inspect.getdoc(method) for key, method in own_methods(one).items()}
        assert [key for key, text in told.items() if not text] == []
        set_by_init = re.findall(r"self\.([a-z]\w*) = ", inspect.getsource(one))
        assert set(set_by_init) <= told.keys()


def test_a_field_is_explained_by_the_string_below_it_alone():
    class Example:
        above: int
        # Not read.
        told: int | None
        """In pixels,
        whole ones."""
        _own: int

    assert field_notes(Example) == {
        "above": ("int", ""),
        "told": ("int or None", "In pixels, whole ones."),
    }


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_of_docstrings_run(name, demo, monkeypatch):
    """`gt` is the demo's ground truth, `dt` and `other_dt` are its two detectors."""
    monkeypatch.chdir(demo)
    known = {"gt": "ground_truth.json", "dt": "window.json", "other_dt": "region.json"}
    assert all((demo / file).is_file() for file in known.values())
    public = {one: getattr(boxlens, one) for one in PUBLIC}
    globs = {"boxlens": boxlens, **public, "os": os, **known}
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(public[name], name, globs=globs)
    assert test.examples
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


def test_the_page_of_the_guide_is_made_from_the_docstrings():
    assert PAGE.read_text(encoding="utf-8") == page(), "run scripts/make_api_page.py"
