"""Small YOLO sets for the tests of the format."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images

NAMES = "names: [cat, dog]\n"


def png(width: int = 200, height: int = 100) -> bytes:
    """A real picture, all black."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * (height * (width + 1)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def put(root: Path, **files: str | bytes) -> Path:
    """Writes files; two underscores stand for a slash, one before the ending for the dot."""
    for key, content in files.items():
        name, _, ending = key.replace("__", "/").rpartition("_")
        path = root / f"{name}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def set_of(tmp_path: Path) -> Path:
    return put(
        tmp_path / "pets",
        data_yaml=f"path: .\ntrain: images/train\nval: images/val\ntest:\nnc: 2\n{NAMES}",
        images__val__b_png=png(),
        images__val__a_png=png(50, 80),
        images__train__c_png=png(),
        labels__val__a_txt="1 0.5 0.5 0.2 0.5\n\n0 0.25 0.125 0.5 0.25\n",
        labels__val__b_txt="1 0.5 0.5 1 1\n",
        labels__train__c_txt="0 0.5 0.5 1 1\n",
    )


def dataset_of() -> Dataset:
    images, _ = Images.of(
        ["a", "b"], [50, 200], [80, 100], ["images/val/a.png", "images/val/b.png"]
    )
    gt = GroundTruth.of(2, image_row=[0, 1], class_row=[0, 1], box=[[1, 2, 3, 4], [5, 6, 7, 8.5]])
    return Dataset("set", images, Classes.of([0, 1], ["cat", "dog"]), gt)


def detections_of(dataset: Dataset) -> Detections:
    return Detections.of(
        "det",
        len(dataset.images),
        image_row=[0, 1, 1],
        class_row=[1, 0, 1],
        box=[[1, 2, 3, 4], [5, 6, 7.25, 8], [0, 0, 10, 10]],
        score=[0.1, 0.9, 1 / 3],
    )


def codes(notices) -> dict[str, int]:
    return {notice.code: notice.count for notice in notices}


# Reading ground truth
