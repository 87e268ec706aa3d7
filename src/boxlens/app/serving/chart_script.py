"""The script that draws figures, made beside the server, not in it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from threading import Lock

from boxlens.formats.private_files import read_private
from boxlens.report.charts.vega_script import vega_file, vega_script

_MAKE = "from boxlens.report.charts.vega_script import vega_script; vega_script()"
_lock = Lock()


def chart_script() -> bytes:
    """Vega, Vega-Lite and vega-embed; whoever comes while it is made waits for it."""
    with _lock:
        if vega_script.cache_info().currsize == 0 and not read_private(vega_file()):
            _make_aside()
        return vega_script().encode()


def _make_aside() -> None:
    """In a process of its own, as it would keep every other thread from running."""
    with suppress(OSError):
        subprocess.run(  # noqa: S603 - nothing of a user is in it
            # Not from modules that happen to lie in the current folder.
            [sys.executable, "-P", "-c", _MAKE],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is meant for the server.
            start_new_session=True,
        )
