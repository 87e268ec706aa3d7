"""The script that draws figures. Making it takes seconds, so it is made aside and kept."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING

from boxlens.app.serving.private_files import private_folder, read_private, write_private
from boxlens.version import VERSION

if TYPE_CHECKING:
    from pathlib import Path

_MAKE = (
    "import sys; from boxlens.report.charts.export import vega_bundle; "
    "sys.stdout.buffer.write(vega_bundle().encode())"
)
_lock = Lock()


def vega_script() -> bytes:
    """Vega, Vega-Lite and vega-embed; whoever comes while it is made waits for it."""
    with _lock:
        return _found_or_made()


def vega_file() -> Path:
    """Where the script is kept, for these versions of it and of us."""
    name = f"vega-{version('vl-convert-python')}-{VERSION}.js"
    return private_folder("XDG_CACHE_HOME", ".cache") / name


@cache
def _found_or_made() -> bytes:
    path = vega_file()
    known = read_private(path)
    if known:
        return known
    made = _made_aside()
    with suppress(OSError):
        write_private(path, made)
    return made


def _made_aside() -> bytes:
    """In a process of its own, as it would keep every other thread from running."""
    try:
        return subprocess.run(  # noqa: S603 - nothing of a user is in it
            # Not from modules that happen to lie in the current folder.
            [sys.executable, "-P", "-c", _MAKE],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is meant for the server.
            start_new_session=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        from boxlens.report.charts.export import vega_bundle

        return vega_bundle().encode()
