"""A data set and detections small enough to check by eye, with something of everything."""

from __future__ import annotations

import numpy as np

from boxlens.data import Classes, ClassTree, Dataset, Detections, GroundTruth, Images, Links
from boxlens.data.columns import attribute_column, id_column


def small_dataset(*, text_ids: bool = False, rich: bool = False) -> Dataset:
    """Three images, the last without objects; three classes, the last without objects."""
    image_ids = ["a01", "a02", "b10"] if text_ids else [1, 2, 10]
    class_ids = ["ant", "bee", "cat"] if text_ids else [0, 1, 2]
    labels = {
        "negative": Links.of([[2], [], [0, 1]]),
        "positive": Links.of([[0, 1], [1], []]),
        "not_exhaustive": Links.of([[], [0], []]),
    }
    images, _ = Images.of(
        image_ids,
        [640.0, 320.0, 100.0],
        [480.0, 240.0, 200.0],
        [f"{key}.jpg" for key in image_ids],
        **(labels if rich else {}),
    )
    tree = ClassTree({class_ids[0]: ("thing",), class_ids[1]: ("thing",), "thing": ()})
    facts = {
        "supercategory": ["insect", "insect", None],
        "frequency": ["r", "f", "c"],
        "tree": tree,
        "extra": {"synset": ["ant.n.01", None, "cat.n.01"], "synonyms": [["ant"], ["bee"], []]},
    }
    classes = Classes.of(class_ids, ["ant", "bee", "cat"], **(facts if rich else {}))
    attributes = {
        "occluded": attribute_column([1, None, 0, 1]),
        "pose": attribute_column(["left", None, "right", None]),
    }
    gt = GroundTruth.of(
        3,
        image_row=[0, 0, 1, 1],
        class_row=[0, 1, 1, 0],
        box=[[10, 20, 64, 32], [100, 50, 32, 64], [16, 8, 80, 40], [0, 0, 320, 240]],
        area_px=[1500.0, 2048.0, 3200.0, 76800.0] if rich else None,
        crowd=[False, False, False, True] if rich else None,
        difficult=[False, True, False, False] if rich else None,
        group_of=[False, False, True, False] if rich else None,
        ids=id_column([7, 3, 9, 4]) if rich else None,
        attributes=attributes if rich else None,
    )
    return Dataset("small", images, classes, gt)


def small_detections() -> Detections:
    """Five detections on the small data set; none on its last image."""
    return Detections.of(
        "detector",
        3,
        image_row=[0, 0, 0, 1, 1],
        class_row=[0, 1, 1, 1, 2],
        box=[
            [12, 20, 64, 32],
            [100, 48, 32, 64],
            [300, 300, 16, 16],
            [16, 10, 80, 40],
            [1.5, 2.25, 40, 30],
        ],
        score=[0.9, 0.75, 0.125, 0.5, 0.25],
    )


def assert_same_tables(first: object, second: object) -> None:
    """Every column of two frozen tables is equal, dtypes included."""
    for name in first.__slots__:
        assert_equal(getattr(first, name), getattr(second, name), name)


def assert_equal(left: object, right: object, name: str) -> None:
    if isinstance(left, np.ndarray):
        assert left.dtype == right.dtype, name
        np.testing.assert_array_equal(left, right, err_msg=name)
    elif isinstance(left, dict):
        assert left.keys() == right.keys(), name
        for key in left:
            assert_equal(left[key], right[key], f"{name}.{key}")
    elif hasattr(left, "__slots__"):
        assert_same_tables(left, right)
    else:
        assert left == right, name
