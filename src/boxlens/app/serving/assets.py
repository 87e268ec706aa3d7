"""The app's own style sheets and scripts, and the bundle that draws figures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from threading import Lock

from boxlens.app.serving.pictures import Sent
from boxlens.formats.private_files import read_private
from boxlens.report.charts.vega_script import vega_file, vega_script

# Vega, Vega-Lite and vega-embed; not a file of ours.
BUNDLE = "vega.js"
_MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_MAKE = "from boxlens.report.charts.vega_script import vega_script; vega_script()"
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Assets:
    """Name below static/ -> what is sent: a fixed list, so that no path is ever looked up."""

    files: Mapping[str, Sent]

    def get(self, name: str) -> Sent | None:
        """Takes seconds for the bundle, the first time."""
        return _bundle() if name == BUNDLE else self.files.get(name)


def read_assets() -> Assets:
    return Assets(dict(_below(files("boxlens.app") / "static", "")))


@cache
def _bundle() -> Sent:
    return _sent(chart_script(), _MEDIA_TYPES["js"])


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, Sent]]:
    for entry in folder.iterdir():
        name = f"{prefix}{entry.name}"
        media_type = _MEDIA_TYPES.get(entry.name.rpartition(".")[2])
        if entry.is_dir():
            yield from _below(entry, f"{name}/")
        elif media_type:
            yield name, _sent(entry.read_bytes(), media_type)


def _sent(content: bytes, media_type: str) -> Sent:
    return Sent(content, media_type, blake2b(content, digest_size=12).hexdigest())


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
