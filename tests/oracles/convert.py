"""A scene as the tables of Boxlens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from boxlens.data import (
    Classes,
    ClassTree,
    Dataset,
    Detections,
    GroundTruth,
    Images,
    Links,
)
from oracles.model import Detection, Object, Scene

SIDE_PX = 512


def scene_to_tables(scene: Scene) -> tuple[Dataset, Detections]:
    images = _images(scene)
    image_row = images.row_of_id()
    classes = Classes.of(
        scene.classes,
        [f"class {cls}" for cls in scene.classes],
        frequency=None if scene.frequency is None else [scene.frequency[c] for c in scene.classes],
        tree=None
        if scene.parents is None
        else ClassTree({cls: tuple(above) for cls, above in scene.parents.items()}),
    )
    class_row = classes.row_of_id()
    gt = GroundTruth.of(
        len(images),
        image_row=[image_row[obj.image] for obj in scene.objects],
        class_row=[class_row[obj.cls] for obj in scene.objects],
        box=[obj.box for obj in scene.objects],
        area_px=[obj.area for obj in scene.objects],
        crowd=[obj.crowd for obj in scene.objects],
        difficult=[obj.difficult for obj in scene.objects],
        group_of=[obj.group_of for obj in scene.objects],
    )
    detections = Detections.of(
        "scene",
        len(images),
        image_row=[image_row[det.image] for det in scene.detections],
        class_row=[class_row[det.cls] for det in scene.detections],
        box=[det.box for det in scene.detections],
        score=[det.score for det in scene.detections],
    )
    return Dataset("scene", images, classes, gt), detections


def table_order(scene: Scene, items: Sequence[Object | Detection]) -> list[int]:
    """Table row -> place in the scene's list: tables group by image, lists keep file order."""
    return [i for image in scene.images for i, item in enumerate(items) if item.image == image]


def _images(scene: Scene) -> Images:
    class_row = {cls: row for row, cls in enumerate(scene.classes)}

    def links(labels: Mapping[int, frozenset[int]] | None) -> Links | None:
        if labels is None:
            return None
        return Links.of(
            [sorted(class_row[cls] for cls in labels.get(image, ())) for image in scene.images]
        )

    n = len(scene.images)
    images, _ = Images.of(
        scene.images,
        [SIDE_PX] * n,
        [SIDE_PX] * n,
        [f"{image}.jpg" for image in scene.images],
        negative=links(scene.negative),
        positive=links(scene.positive),
        not_exhaustive=links(scene.not_exhaustive),
    )
    return images
