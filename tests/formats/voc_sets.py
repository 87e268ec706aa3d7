"""Small VOC folders for the tests of the format."""

from __future__ import annotations

import html
from pathlib import Path

from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images

SIZE = "<size><width>500</width><height>375</height><depth>3</depth></size>"


def bndbox(*corners: object) -> str:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), corners, strict=True)
    return f"<bndbox>{''.join(f'<{tag}>{value}</{tag}>' for tag, value in sides)}</bndbox>"


def obj(name: str = "dog", corners: tuple = (1, 1, 10, 10), more: str = "") -> str:
    return f"<object><name>{html.escape(name)}</name>{more}{bndbox(*corners)}</object>"


def xml(*objects: str, head: str = f"<filename>a.jpg</filename>{SIZE}") -> str:
    return f"<annotation>{head}{''.join(objects)}</annotation>"


def folder_of(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "xml"
    folder.mkdir()
    for stem, text in files.items():
        (folder / f"{stem}.xml").write_text(text, encoding="utf-8")
    return folder


def devkit_of(tmp_path: Path, year: str = "VOC2007") -> Path:
    folder = tmp_path / "VOCdevkit" / year
    (folder / "Annotations").mkdir(parents=True)
    (folder / "ImageSets" / "Main").mkdir(parents=True)
    for stem in ("000001", "000002", "000003"):
        text = xml(obj("dog"), head=f"<filename>{stem}.jpg</filename>{SIZE}")
        (folder / "Annotations" / f"{stem}.xml").write_text(text)
    lists = folder / "ImageSets" / "Main"
    (lists / "test.txt").write_text("000001\n000003\n")
    (lists / "trainval.txt").write_text("000002\n")
    (lists / "dog_test.txt").write_text("000001  1\n000003 -1\n")
    (lists / "small_test.txt").write_text("000001\n")
    return folder


def dataset_of(n_images: int = 2, names: tuple[str, ...] = ("cat", "dog")) -> Dataset:
    ids = [f"{row:06}" for row in range(n_images)]
    images, _ = Images.of(ids, [500] * n_images, [375] * n_images, [f"{i}.jpg" for i in ids])
    gt = GroundTruth.of(n_images, image_row=[0], class_row=[0], box=[[0, 0, 10, 10]])
    return Dataset("set", images, Classes.of(names, names), gt)


def codes(notices) -> dict[str, int]:
    return {notice.code: notice.count for notice in notices}


# Reading annotations


def detections_of(
    dataset: Dataset, boxes=((0, 0, 10, 10),), rows=(0,), classes=(0,), scores=(0.5,)
):
    return Detections.of(
        "det", len(dataset.images), image_row=rows, class_row=classes, box=boxes, score=scores
    )
