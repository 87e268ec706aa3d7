"""Answers of the server that are no pages: what browsers keep, and what they save."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from starlette.responses import Response

from boxlens.app.serving.pictures import Sent

if TYPE_CHECKING:
    from starlette.requests import Request

# Kept by the browser, but asked for again: the next run has the same addresses.
REVALIDATED = "private, no-cache"
CHUNK_BYTES = 64 * 2**10


def revalidated(request: Request, sent: Sent, headers: dict[str, str] | None = None) -> Response:
    """What browsers keep and ask after: a few bytes if it has not changed."""
    if is_known(request, sent.version):
        return not_modified(sent.version, headers)
    own = {"ETag": _tag(sent.version), "Cache-Control": REVALIDATED, **(headers or {})}
    return Response(sent.content, media_type=sent.media_type, headers=own)


def not_modified(version: str, headers: dict[str, str] | None = None) -> Response:
    """The headers count for what the browser has, too: they replace those that came with it."""
    own = {"ETag": _tag(version), "Cache-Control": REVALIDATED, **(headers or {})}
    return Response(status_code=304, headers=own)


def is_known(request: Request, version: str) -> bool:
    """Whether the browser has this version already."""
    given = request.headers.get("if-none-match", "").split(",")
    return _tag(version) in (one.strip().removeprefix("W/") for one in given)


def _tag(version: str) -> str:
    return f'"{version}"'


def in_chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Fewer, larger pieces: each one goes through a thread."""
    held = bytearray()
    for line in lines:
        held += line
        if len(held) >= CHUNK_BYTES:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def plain_name(text: str) -> str:
    """A file name that every system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:80] or "boxlens"
