"""The script that draws figures in pages. Making it takes a second, so it is kept for this user."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from boxlens.formats.private_files import private_folder, read_private, write_private
from boxlens.version import VERSION

_GLOBALS = "window.vegaEmbed = vegaEmbed;"


@cache
def vega_script() -> str:
    """JavaScript of vega, vega-lite and vega-embed, for the inside of one script element.

    It sets `vegaEmbed` on the window, which draws what `chart_json` gives.
    """
    path = vega_file()
    known = read_private(path)
    if known:
        return known.decode()
    import vl_convert

    made = vl_convert.javascript_bundle(_GLOBALS)
    with suppress(OSError):
        write_private(path, made.encode())
    return made


def vega_file() -> Path:
    """Where the script is kept, for these versions of it and of us."""
    name = f"vega-{version('vl-convert-python')}-{VERSION}.js"
    return private_folder("XDG_CACHE_HOME", ".cache") / name
