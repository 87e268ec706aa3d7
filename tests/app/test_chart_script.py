"""The script that draws figures is made once, kept, and made again where it cannot be trusted."""

from __future__ import annotations

import pytest

from boxlens.app.serving.assets import chart_script
from boxlens.report.charts.vega_script import vega_file, vega_script


@pytest.fixture
def forgotten(tmp_path, monkeypatch):
    """A cache of its own, and nothing in memory."""
    known = vega_script()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    vega_script.cache_clear()
    vega_file().parent.mkdir()
    yield known
    vega_script.cache_clear()


def test_it_brings_what_draws_and_is_kept(cache):
    script = vega_script()
    assert "window.vegaEmbed=" in script
    assert "</script" not in script
    assert vega_file().read_text(encoding="utf-8") == script
    assert vega_file().is_relative_to(cache)


def test_a_kept_one_is_taken(forgotten):
    vega_file().write_bytes(b"kept")
    vega_file().chmod(0o600)
    assert vega_script() == "kept"
    assert chart_script() == b"kept"


def test_one_that_others_can_write_is_made_anew(forgotten):
    vega_file().write_bytes(b"strange")
    vega_file().chmod(0o666)
    assert chart_script() == forgotten.encode()
    assert vega_file().read_text(encoding="utf-8") == forgotten


def test_where_it_cannot_be_kept_it_is_made_all_the_same(forgotten):
    folder = vega_file().parent
    folder.rmdir()
    folder.write_bytes(b"a file in the way")
    assert vega_script() == forgotten
