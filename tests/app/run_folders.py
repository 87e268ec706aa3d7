"""The folder that a run leaves, small and drawn at random: real JSON and Parquet files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS, SCHEMES
from boxlens.version import VERSION

CLASSES = ("cat", "dog", "traffic light")
DETECTORS = ("alpha", "beta")
WEATHER = ("fog", "sun")
TITLES = {"hoiem": "Hoiem", "tide": "TIDE", "coco_analyze": "COCO analyze", "borji": "Borji"}
SIZE = (64.0, 48.0)
REPORT = '<!doctype html><html lang="en"><title>The report</title><p>Full report.</p></html>\n'


def write_run(
    folder: Path,
    *,
    file_names: list[str] | None = None,
    n_images: int = 6,
    detectors: tuple[str, ...] = DETECTORS,
    per_image: int = 4,
    seed: int = 0,
) -> Path:
    """A run over `file_names`, or over 000001.jpg, 000002.jpg, ...; ids count from 1."""
    names = file_names or [f"{row + 1:06d}.jpg" for row in range(n_images)]
    generator = np.random.default_rng(seed)
    detections = pl.concat(
        _detections(generator, name, detectors, len(names), per_image) for name in detectors
    )
    objects = pl.concat(
        _objects(generator, name, detectors, len(names), per_image) for name in detectors
    )
    (folder / "tables").mkdir(parents=True)
    (folder / "figures").mkdir()
    _images(names, detectors, detections, objects).write_parquet(folder / "tables/images.parquet")
    detections.write_parquet(folder / "tables/detections.parquet")
    objects.write_parquet(folder / "tables/objects.parquet")
    n_detections = {name: len(names) * per_image for name in detectors}
    _write_json(folder / "run.json", _about(len(names), objects.height, n_detections))
    _write_json(folder / "figures" / "figures.json", [_figure()])
    (folder / "figures" / "errors.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    (folder / "report.html").write_text(REPORT, encoding="utf-8")
    _write_json(folder / "results.json", {"schema": "boxlens/studies/diagnosis/1"})
    return folder


def _detections(
    generator: np.random.Generator,
    name: str,
    detectors: tuple[str, ...],
    n_images: int,
    per_image: int,
) -> pl.DataFrame:
    n = n_images * per_image
    image_row = np.repeat(np.arange(n_images, dtype=np.int32), per_image)
    on_object = generator.random(n) < 0.6
    object_row = [int(row) if hit else None for row, hit in zip(image_row, on_object, strict=True)]
    object_class = [
        _class_of(row) if hit else None for row, hit in zip(image_row, on_object, strict=True)
    ]
    iou = [
        round(float(value), 3) if hit else None
        for value, hit in zip(generator.random(n), on_object, strict=True)
    ]
    columns: dict[str, Any] = {
        "detector": pl.Series([name] * n, dtype=pl.Enum(detectors)),
        "det_row": np.arange(n, dtype=np.int32),
        "image_row": image_row,
        "image_id": image_row.astype(np.int64) + 1,
        "class": _labels(generator, CLASSES, n),
        "score": generator.random(n),
        "rank": generator.permutation(n).astype(np.int32) + 1,
        **_boxes(generator, n),
        **{scheme: _labels(generator, DET_LABELS[scheme], n) for scheme in SCHEMES},
        "object_row": pl.Series(object_row, dtype=pl.Int32),
        "object_id": pl.Series(object_row, dtype=pl.Int64),
        "object_class": pl.Series(object_class, dtype=pl.Enum(CLASSES)),
        "iou": pl.Series(iou, dtype=pl.Float64),
        "true_class": pl.Series([_true_class(one, row) for row, one in enumerate(object_class)]),
        "loss": np.where(on_object, 0.0, generator.random(n) / 100),
        "hoiem_object_id": pl.Series(object_row, dtype=pl.Int64),
        "hoiem_object_class": pl.Series(object_class, dtype=pl.Enum(CLASSES)),
        "hoiem_iou": pl.Series(iou, dtype=pl.Float64),
        "tide_object_id": pl.Series(object_row, dtype=pl.Int64),
    }
    return pl.DataFrame(columns)


def _objects(
    generator: np.random.Generator,
    name: str,
    detectors: tuple[str, ...],
    n_images: int,
    per_image: int,
) -> pl.DataFrame:
    """One object per image: object row and image row are the same."""
    row = np.arange(n_images, dtype=np.int32)
    boxes = _boxes(generator, n_images)
    found = (generator.random(n_images) < 0.5) & (per_image > 0)
    columns: dict[str, Any] = {
        "detector": pl.Series([name] * n_images, dtype=pl.Enum(detectors)),
        "gt_row": row,
        "image_row": row,
        "image_id": row.astype(np.int64) + 1,
        "object_id": row.astype(np.int64),
        "class": pl.Series([_class_of(one) for one in row], dtype=pl.Enum(CLASSES)),
        **boxes,
        "area": boxes["w"] * boxes["h"],
        **dict.fromkeys(("crowd", "difficult", "group_of"), np.zeros(n_images, dtype=bool)),
        **{scheme: _labels(generator, GT_LABELS[scheme], n_images) for scheme in SCHEMES},
        "det_row": pl.Series(
            [k * per_image if one else None for k, one in enumerate(found)], dtype=pl.Int32
        ),
        "iou": pl.Series([0.75 if one else None for one in found], dtype=pl.Float64),
        "score": pl.Series([0.5 if one else None for one in found], dtype=pl.Float64),
        "taken_for": pl.Series(
            [_class_of(k) if one else "(background)" for k, one in enumerate(found)]
        ),
        "undetected": ~found,
        "P_N": np.where(found, 0.5, 0.0),
        "P_N_predicted": generator.random(n_images),
        "unexpected": generator.random(n_images),
        "loss": np.where(found, 0.0, 0.01),
        "attribute_weather": pl.Series([WEATHER[one % 2] for one in row], dtype=pl.Enum(WEATHER)),
        "attribute_occlusion": generator.random(n_images),
        "characteristic_size": pl.Series(["small" if one % 2 else None for one in row]),
    }
    return pl.DataFrame(columns)


def _images(
    file_names: list[str],
    detectors: tuple[str, ...],
    detections: pl.DataFrame,
    objects: pl.DataFrame,
) -> pl.DataFrame:
    n = len(file_names)
    columns: dict[str, Any] = {
        "image_id": np.arange(n, dtype=np.int64) + 1,
        "file_name": file_names,
        "width": pl.Series([SIZE[0]] * n, dtype=pl.Float64),
        "height": pl.Series([SIZE[1]] * n, dtype=pl.Float64),
        "n_objects": np.ones(n, dtype=np.int32),
    }
    if len(detectors) > 1:
        columns["disagreement"] = np.linspace(0, 1, n)
        columns["disputed_boxes"] = np.arange(n, dtype=np.int32)
    for name in detectors:
        own = detections.filter(pl.col("detector") == name)
        counts = np.bincount(own["image_row"].to_numpy(), minlength=n)
        missed = objects.filter(pl.col("detector") == name)["undetected"].to_numpy()
        columns |= {
            f"n_detections_{name}": counts.astype(np.int32),
            f"n_wrong_{name}": (counts // 2).astype(np.int32),
            f"n_missed_{name}": missed.astype(np.int32),
            f"loss_{name}": np.linspace(0.1, 0, n),
            f"unexpected_{name}": np.linspace(0, 0.9, n),
        }
    return pl.DataFrame(columns)


def _about(n_images: int, n_object_rows: int, n_detections: dict[str, int]) -> dict[str, Any]:
    names = list(n_detections)
    return {
        "schema": "boxlens/run/1",
        "boxlens": VERSION,
        "verb": "diagnose" if len(names) == 1 else "compare",
        "title": f"{' and '.join(names)} on small",
        "dataset": {
            "name": "small",
            "relative": False,
            "n_images": n_images,
            "n_objects": n_object_rows // len(names),
            "classes": [
                {"id": row + 1, "name": name, "supercategory": None}
                for row, name in enumerate(CLASSES)
            ],
        },
        "detectors": [
            {"name": name, "n_detections": n, "min_score": 0.3} for name, n in n_detections.items()
        ],
        "iou": 0.5,
        "schemes": {
            scheme: {
                "title": TITLES[scheme],
                "detections": list(DET_LABELS[scheme]),
                "objects": list(GT_LABELS[scheme]),
            }
            for scheme in SCHEMES
        },
        "attributes": [
            {"name": "weather", "kind": "text", "values": list(WEATHER)},
            {"name": "occlusion", "kind": "number"},
        ],
        "characteristics": [{"name": "size", "subsets": ["small"]}],
        "verdict": {
            "lead": "AP50 is .5.",
            "sentences": ["Naming the right class would bring +.1."],
            "numbers": [["AP50", 0.5]],
            "tiles": [["AP50", "0.500"], ["undetected", "61%"]],
        },
        "provenance": {"boxlens": VERSION, "ground_truth": None, "detections": []},
        "notices": [],
    }


def _figure() -> dict[str, Any]:
    rows = [
        {"kind": name, "n": row + 1, "select": f"class={name}"} for row, name in enumerate(CLASSES)
    ]
    return {
        "name": "errors",
        "title": "Errors of each class",
        "reading": "The longer the bar, the more errors.",
        "section": "errors",
        "heading": "Errors",
        "detector": "",
        "spec": {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "data": {"values": rows},
            "mark": "bar",
            "encoding": {
                "x": {"field": "n", "type": "quantitative"},
                "y": {"field": "kind", "type": "nominal"},
            },
        },
    }


def _boxes(generator: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    w, h = generator.uniform(2, SIZE[0] / 2, n), generator.uniform(2, SIZE[1] / 2, n)
    return {
        "x": generator.uniform(0, 1, n) * (SIZE[0] - w),
        "y": generator.uniform(0, 1, n) * (SIZE[1] - h),
        "w": w,
        "h": h,
    }


def _labels(generator: np.random.Generator, values: tuple[str, ...], n: int) -> pl.Series:
    picked = [values[code] for code in generator.integers(0, len(values), n)]
    return pl.Series(picked, dtype=pl.Enum(values))


def _class_of(row: int) -> str:
    return CLASSES[row % len(CLASSES)]


def _true_class(object_class: str | None, row: int) -> str | None:
    if row % 5 == 0:
        return None
    return object_class or "(background)"


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
