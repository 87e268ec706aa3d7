"""The script that draws figures is made once, kept, and made again where it cannot be trusted."""

from __future__ import annotations

import pytest

from boxlens.app.serving import vega_script as module
from boxlens.app.serving.vega_script import vega_file, vega_script


@pytest.fixture
def forgotten(tmp_path, monkeypatch):
    """A cache of its own, and nothing in memory."""
    known = vega_script()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module._found_or_made.cache_clear()
    vega_file().parent.mkdir()
    yield known
    module._found_or_made.cache_clear()


def test_it_brings_what_draws_and_is_kept(cache):
    assert b"vegaEmbed" in vega_script()
    assert vega_file().read_bytes() == vega_script()
    assert vega_file().is_relative_to(cache)


def test_a_kept_one_is_taken(forgotten):
    vega_file().write_bytes(b"kept")
    vega_file().chmod(0o600)
    assert vega_script() == b"kept"


def test_one_that_others_can_write_is_made_anew(forgotten):
    vega_file().write_bytes(b"strange")
    vega_file().chmod(0o666)
    assert vega_script() == forgotten
    assert vega_file().read_bytes() == forgotten
