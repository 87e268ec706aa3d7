"""Little worlds as plain values: objects, detections, scenes, and who matched whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Box = tuple[float, float, float, float]
NOBODY = -1
EVERY_AREA = (0.0, 1e10)


@dataclass(frozen=True)
class Object:
    image: int
    cls: int
    box: Box
    area: float
    crowd: bool = False
    difficult: bool = False
    group_of: bool = False


@dataclass(frozen=True)
class Detection:
    image: int
    cls: int
    box: Box
    score: float


@dataclass(frozen=True)
class Scene:
    """Image and class ids ascend; objects and detections stand in file order.

    `negative`, `positive` and `not_exhaustive` map an image to classes; None where the format has
    no such lists. `frequency` is LVIS's r, c or f of a class, `parents` the edges of a class tree.
    """

    images: tuple[int, ...]
    classes: tuple[int, ...]
    objects: tuple[Object, ...]
    detections: tuple[Detection, ...]
    negative: Mapping[int, frozenset[int]] | None = None
    positive: Mapping[int, frozenset[int]] | None = None
    not_exhaustive: Mapping[int, frozenset[int]] | None = None
    frequency: Mapping[int, str] | None = None
    parents: Mapping[int, tuple[int, ...]] | None = None


@dataclass(frozen=True)
class Matching:
    """The verdict on every detection and object of a scene, by their place in its lists.

    `label` is METHODS 0.4's +1, -1 or 0, and None for a detection that was never considered.
    `object_of` is the object that made a detection +1 or 0. `detection_of` is the detection an
    object went to; of several that share one object, the last (the lowest scored).
    `ignored` objects are no positives.
    """

    label: list[int | None]
    object_of: list[int]
    detection_of: list[int]
    ignored: list[bool]
    # Detections on an object that was taken before (METHODS 0.5 `hoiem`); only that rule fills it.
    duplicate: set[int] = field(default_factory=set)

    @classmethod
    def blank(cls, scene: Scene) -> Matching:
        n_detections, n_objects = len(scene.detections), len(scene.objects)
        return cls(
            label=[None] * n_detections,
            object_of=[NOBODY] * n_detections,
            detection_of=[NOBODY] * n_objects,
            ignored=[False] * n_objects,
        )

    def pair(self, d: int, g: int) -> None:
        """Detection d goes to object g: a true positive, or don't-care where g is ignored."""
        self.label[d] = 0 if self.ignored[g] else 1
        self.object_of[d] = g
        self.detection_of[g] = d


def area_of(box: Box) -> float:
    return box[2] * box[3]


def inside(area: float, area_range: tuple[float, float]) -> bool:
    """METHODS 10: ranges are closed at both ends."""
    return area_range[0] <= area <= area_range[1]


def intersection(a: Box, b: Box) -> float:
    ax, ay, aw, ah = a
    bx, by, bw, bh = b
    width = min(aw + ax, bw + bx) - max(ax, bx)
    height = min(ah + ay, bh + by) - max(ay, by)
    if width <= 0 or height <= 0:
        return 0.0
    return width * height


def iou(det: Box, gt: Box, *, crowd: bool = False) -> float:
    """METHODS 0.1; against a crowd the detection's own area is the union (METHODS 0.5)."""
    shared = intersection(det, gt)
    if shared == 0:
        return 0.0
    union = area_of(det) if crowd else area_of(det) + area_of(gt) - shared
    return shared / union


def objects_of(scene: Scene, image: int, cls: int) -> list[int]:
    """The objects of a class in an image, in file order."""
    return [g for g, obj in enumerate(scene.objects) if obj.image == image and obj.cls == cls]


def detections_of(scene: Scene, image: int, cls: int) -> list[int]:
    """The detections of a class in an image: best score first, ties in file order."""
    found = [d for d, det in enumerate(scene.detections) if det.image == image and det.cls == cls]
    return sorted(found, key=lambda d: -scene.detections[d].score)


def ranking(scene: Scene, cls: int) -> list[int]:
    """METHODS 10: score descending, then image id ascending, then file order."""
    by_image = [d for image in scene.images for d in detections_of(scene, image, cls)]
    return sorted(by_image, key=lambda d: -scene.detections[d].score)


def considered(scene: Scene, cls: int, matching: Matching) -> list[int]:
    """The ranking of a class without the detections that were never considered."""
    return [d for d in ranking(scene, cls) if matching.label[d] is not None]


def ranked_labels(scene: Scene, cls: int, matching: Matching) -> list[int]:
    labels = [matching.label[d] for d in ranking(scene, cls)]
    return [label for label in labels if label is not None]


def count_positives(scene: Scene, cls: int, matching: Matching) -> int:
    """N_j of METHODS 0.4."""
    return sum(
        obj.cls == cls and not ignored
        for obj, ignored in zip(scene.objects, matching.ignored, strict=True)
    )
