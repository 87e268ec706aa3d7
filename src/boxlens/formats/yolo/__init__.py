"""YOLO data sets as Ultralytics lays them out: data.yaml, images, and labels beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boxlens.data import Classes, Dataset, GroundTruth, Images, Notice, Source, file_notices
from boxlens.data.boxes import xywh_from_relative_centre
from boxlens.formats.exact_sides import CENTRE, with_exact
from boxlens.formats.yolo.images import LabelledImage, image_lists, images_of
from boxlens.formats.yolo.labels import Labels
from boxlens.formats.yolo.layout import Layout, choose_split, find_layout
from boxlens.formats.yolo.results import read_detections, write_detections
from boxlens.formats.yolo.write import write_dataset
from boxlens.progress import Progress, reported
from boxlens.wording import counted

__all__ = ["read_dataset", "read_detections", "write_dataset", "write_detections"]


def read_dataset(
    path: Path,
    *,
    split: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Reads data.yaml, its folder, or a folder of labels with classes.txt.

    Image ids are stems (paths without ending where stems repeat), class ids are indices.
    """
    layout = find_layout(path)
    chosen, notices = choose_split(layout, split)
    images, image_notices = images_of(layout, chosen, progress)
    indices = sorted(layout.names)
    labels = Labels({index: row for row, index in enumerate(indices)}, layout.n_keypoint_values)
    for row, image in enumerate(reported(images, "reading labels", progress)):
        if image.label is not None:
            labels.add_file(image.label, row)
    width = np.array([image.size.width_px for image in images])
    height = np.array([image.size.height_px for image in images])
    names = [image.size.file_name for image in images]
    table, _ = Images.of([image.id for image in images], width, height, names)
    rows = np.array(labels.image_row, dtype=np.int32)
    box = xywh_from_relative_centre(labels.box, width[rows], height[rows])
    gt = GroundTruth.of(
        len(images),
        image_row=rows,
        class_row=labels.class_row,
        box=with_exact(box, labels.exact, CENTRE, (width[rows], height[rows])),
    )
    return Dataset(
        name=layout.root.resolve().name,
        images=table,
        classes=Classes.of(indices, [layout.names[index] for index in indices]),
        gt=gt,
        source=_source(path, layout, chosen, images),
        notices=(*layout.notices, *notices, *image_notices, *_label_notices(layout, labels)),
    )


def _source(path: Path, layout: Layout, split: str, images: Sequence[LabelledImage]) -> Source:
    """All files that were opened; of pictures only the header was read."""
    labels = [image.label for image in images if image.label is not None]
    pictures = [
        (
            f"{image.size.width_px:.17g}x{image.size.height_px:.17g}",
            layout.root / image.size.file_name,
        )
        for image in images
    ]
    return Source.of(path, "yolo", [*layout.files, *image_lists(layout, split), *labels], pictures)


def _label_notices(layout: Layout, labels: Labels) -> tuple[Notice, ...]:
    polygons, poses = counted(labels.n_polygons, "polygon"), counted(labels.n_poses, "object")
    return file_notices(
        layout.file,
        ("polygon", labels.n_polygons, f"{polygons} read as the box around it"),
        ("keypoints", labels.n_poses, f"{poses} with keypoints, which are skipped"),
    )
