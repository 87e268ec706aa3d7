"""Which image a text of a user's table means."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from boxlens.data.images import Images


def rows_of_names(texts: Iterable[str], images: Images) -> list[int]:
    """By id, file name, name without folders, or stem; a text that fits two images fits none."""
    paths = [PurePosixPath(name.replace("\\", "/")) for name in images.file_name]
    rows: dict[str, int] = {}
    for keys in (
        [str(key) for key in images.id.tolist()],
        list(images.file_name),
        [path.name for path in paths],
        [path.stem for path in paths],
    ):
        ours: dict[str, int] = {}
        for row, key in enumerate(keys):
            ours[key] = -1 if key in ours else row
        rows = ours | rows
    return [rows.get(text, -1) if text else -1 for text in texts]
