"""Thumbnails, with the most recent ones kept in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.app.serving.kept import Kept

if TYPE_CHECKING:
    from boxlens.app.serving.pictures import Pictures, Sent

CACHE_BYTES = 64 * 2**20


class Thumbnails:
    """Small versions of pictures. Threads may share it."""

    def __init__(self, pictures: Pictures, limit: int = CACHE_BYTES) -> None:
        self._pictures = pictures
        self._kept: Kept[Sent] = Kept(limit, lambda sent: len(sent.content))

    @property
    def n_bytes(self) -> int:
        """What the kept ones take."""
        return self._kept.n_bytes

    def get(self, row: int) -> Sent:
        """The thumbnail of an image, made again if its file has changed."""
        kept = self._kept.get(row)
        if kept is not None and kept.version == self._pictures.version(row):
            return kept
        made = self._pictures.thumbnail(row)
        self._kept.put(row, made)
        return made
