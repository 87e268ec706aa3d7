"""Which picture shows which image of a run, and its bytes as a browser can show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from boxlens.app.opening.run import Run
from boxlens.app.serving.drawing import NoPictureError, as_png, as_thumbnail, can_draw
from boxlens.app.serving.inside import FileGoneError, StoredFile, open_inside
from boxlens.app.serving.kept import Kept
from boxlens.data import Notice
from boxlens.errors import InputError

# What a file begins with -> what it is. A name says little: many a .jpg is a PNG.
_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    *((f"P{kind}".encode(), "image/x-portable-anymap") for kind in (2, 3, 5, 6)),
)
# Thumbnails kept in memory.
CACHE_BYTES = 64 * 2**20
# The others are sent as PNG.
_SHOWN_BY_BROWSERS = frozenset({"image/jpeg", "image/png", "image/gif", "image/bmp", "image/webp"})


@dataclass(frozen=True, slots=True)
class Sent:
    """Bytes for a browser. `version` changes whenever the file does."""

    content: bytes
    media_type: str
    version: str


@dataclass(frozen=True, slots=True)
class Pictures:
    """Row of an image -> the parts of the path of its picture below `folder`, free of links.

    Files are known from walking the folder, never from the names in a table, which only say which
    of them belongs to which image.
    """

    folder: Path | None = None
    parts: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()

    @classmethod
    def open(cls, folder: Path | None, run: Run) -> Pictures:
        """Joins the pictures of a folder to the images of a run."""
        if folder is None:
            return cls()
        if not folder.is_dir():
            what = "expected a folder, found a file" if folder.exists() else "no such folder"
            raise InputError(what, path=folder, remedy="Give the folder that holds the pictures")
        # Late: most runs are looked at without pictures.
        from boxlens.images import find_images
        from boxlens.images.joining import join_to_images, nothing_fits
        from boxlens.regular_files import real_path

        top = real_path(folder)
        files, notices = find_images(top, inside=True)
        names, ids = run.images.file_name, run.images.id
        image_of_file, join_notices = join_to_images(files.names, names, ids)
        if not image_of_file:
            remedy = "Give the folder of this run's pictures, or omit --images"
            raise nothing_fits(files.names, names, ids, remedy)
        parts = {
            image: real_path(files.paths[file]).relative_to(top).parts
            for file, image in image_of_file.items()
        }
        # Ids made up from names of files are of no interest here.
        told = [one for one in notices if one.code != "text_image_ids"]
        return cls(top, MappingProxyType(parts), (*told, *join_notices))

    def __len__(self) -> int:
        return len(self.parts)

    def path(self, row: int) -> Path | None:
        """Where the picture lay when the app started; None where an image has none."""
        if self.folder is None or row not in self.parts:
            return None
        return self.folder.joinpath(*self.parts[row])

    def version(self, row: int) -> str:
        """Changes whenever the file does."""
        with self._stored(row) as stored:
            return stored.version

    def sent(self, row: int) -> Sent:
        """The picture for a browser: as it is, or as PNG where browsers do not know its kind."""
        return self._made(row, lambda content, kind: _as_it_is(content, kind) or as_png(content))

    def thumbnail(self, row: int) -> Sent:
        """The picture made small, or as it is where Pillow is not installed."""
        if not can_draw():
            return self.sent(row)
        return self._made(row, lambda content, _: as_thumbnail(content))

    def _made(self, row: int, make: Callable[[bytes, str], tuple[bytes, str]]) -> Sent:
        with self._stored(row) as stored:
            content = stored.read()
            version = stored.version
        try:
            return Sent(*make(content, _kind(content)), version)
        except NoPictureError as problem:
            name = "/".join(self.parts[row])
            raise NoPictureError(f"{name!r}: {problem.problem}", remedy=problem.remedy) from problem

    def _stored(self, row: int) -> StoredFile:
        if self.folder is None or row not in self.parts:
            raise FileGoneError("this image has no picture in the --images folder")
        return open_inside(self.folder, self.parts[row])


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


def _as_it_is(content: bytes, kind: str) -> tuple[bytes, str] | None:
    return (content, kind) if kind in _SHOWN_BY_BROWSERS else None


def _kind(content: bytes) -> str:
    for beginning, kind in _BEGINNINGS:
        if content.startswith(beginning):
            return kind
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "image/webp"
    problem = "not a picture" if content else "the file is empty"
    raise NoPictureError(problem, remedy="Copy or download it again")
