"""Writes COCO-like ground truth and detections of any size, the same for the same seed.

python benchmarks/generate.py --scale 1 --digits rounded -o benchmarks/data
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np
import polars as pl

from masks import polygons, run_lengths
from worlds import (
    CATEGORY_IDS,
    Boxes,
    Images,
    Objects,
    Plan,
    make_detections,
    make_images,
    make_objects,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# Part of the file names: raise it when the same plan gives other bytes.
EDITION = 1
DIGITS = ("rounded", "full")
DATA = Path(__file__).resolve().parent / "data"


def written(plan: Plan, digits: str, folder: Path) -> tuple[Path, Path]:
    """The paths of ground truth and detections; files that are there already stay."""
    folder.mkdir(parents=True, exist_ok=True)
    key = json.dumps({"edition": EDITION, **asdict(plan)}, sort_keys=True)
    name = f"synthetic-{plan.n_chunks}x-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    truth = folder / f"{name}-truth.json"
    dets = folder / f"{name}-detections-{digits}.json"
    _once(truth, lambda file: _write_truth(plan, file))
    _once(dets, lambda file: _write_detections(plan, digits, file))
    return truth, dets


def _once(path: Path, write: Callable[[TextIO], None]) -> None:
    if path.exists():
        return
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        write(file)
    part.replace(path)


def _write_truth(plan: Plan, file: TextIO) -> None:
    file.write('{"info": {"description": "synthetic, COCO-like"},"licenses": [],"images": [')
    _write_chunks(file, plan, ",", lambda chunk: _image_texts(plan, chunk))
    file.write('],"annotations": [')
    _write_chunks(file, plan, ",", lambda chunk: _annotation_texts(plan, chunk))
    categories = [
        {"supercategory": f"group {row // 8}", "id": int(category_id), "name": f"class {row}"}
        for row, category_id in enumerate(CATEGORY_IDS)
    ]
    file.write(f'],"categories": {json.dumps(categories)}}}')


def _write_detections(plan: Plan, digits: str, file: TextIO) -> None:
    file.write("[")
    _write_chunks(file, plan, ", ", lambda chunk: _detection_texts(plan, chunk, digits))
    file.write("]")


def _write_chunks(
    file: TextIO, plan: Plan, separator: str, texts: Callable[[int], pl.Series]
) -> None:
    for chunk in range(plan.n_chunks):
        file.write(separator if chunk else "")
        file.write(texts(chunk).str.join(separator).item())


def _image_texts(plan: Plan, chunk: int) -> pl.Series:
    images = make_images(plan, chunk)
    name = pl.col("id").cast(pl.String).str.zfill(12)
    made = pl.DataFrame({"id": images.image_id, "w": images.width, "h": images.height}).select(
        pl.concat_str(
            pl.lit('{"license": 4,"file_name": "'),
            name,
            pl.lit('.jpg","coco_url": "http://images.example.org/val2017/'),
            name,
            pl.lit('.jpg","height": '),
            "h",
            pl.lit(',"width": '),
            "w",
            pl.lit(',"date_captured": "2013-11-14 17:02:52","flickr_url": "'),
            pl.lit("http://farm7.example.org/6116/"),
            name,
            pl.lit('_255d196388_z.jpg","id": '),
            "id",
            pl.lit("}"),
        )
    )
    shuffled = plan.rng(chunk, 3).permutation(len(images.image_id))
    return made.to_series().gather(shuffled)


def _annotation_texts(plan: Plan, chunk: int) -> pl.Series:
    images = make_images(plan, chunk)
    objects = make_objects(plan, chunk, images)
    outline, area = _outlines(plan.rng(chunk, 4), images, objects)
    made = pl.DataFrame(
        {
            "outline": outline,
            "area": area,
            "crowd": objects.is_crowd.astype(np.int64),
            "image": images.image_id[objects.image_row],
            "box": _joined_numbers(objects.xywh, ","),
            "class": CATEGORY_IDS[objects.class_row],
            "id": np.arange(len(area)) + 1 + chunk * plan.n_boxes,
        }
    ).select(
        pl.concat_str(
            pl.lit('{"segmentation": '),
            "outline",
            pl.lit(',"area": '),
            "area",
            pl.lit(',"iscrowd": '),
            "crowd",
            pl.lit(',"image_id": '),
            "image",
            pl.lit(',"bbox": ['),
            "box",
            pl.lit('],"category_id": '),
            "class",
            pl.lit(',"id": '),
            "id",
            pl.lit("}"),
        )
    )
    return made.to_series().gather(plan.rng(chunk, 5).permutation(len(area)))


def _outlines(
    rng: np.random.Generator, images: Images, objects: Objects
) -> tuple[pl.Series, np.ndarray]:
    shapes = polygons(rng, objects.xywh)
    ring = np.repeat(
        np.arange(len(shapes.ring_start)),
        2 * np.diff(np.append(shapes.ring_start, len(shapes.points))),
    )
    outline = (
        pl.DataFrame({"ring": ring, "number": shapes.points.ravel()})
        .with_columns(pl.col("number").cast(pl.String))
        .group_by("ring", maintain_order=True)
        .agg(pl.col("number").str.join(","))
        .with_columns(pl.Series("object", shapes.ring_object))
        .group_by("object", maintain_order=True)
        .agg(pl.col("number").str.join("],["))
        .select(pl.concat_str(pl.lit("[["), "number", pl.lit("]]")))
        .to_series()
    )
    area = shapes.area.copy()
    crowds = np.flatnonzero(objects.is_crowd)
    texts = []
    for row in crowds:
        runs = run_lengths(rng, images, objects, int(row))
        image = objects.image_row[row]
        size = [int(images.height[image]), int(images.width[image])]
        texts.append(json.dumps({"counts": runs, "size": size}, separators=(",", ": ")))
        area[row] = sum(runs[1::2])
    return outline.scatter(crowds, texts), area


def _detection_texts(plan: Plan, chunk: int, digits: str) -> pl.Series:
    images = make_images(plan, chunk)
    dets = make_detections(plan, chunk, images, make_objects(plan, chunk, images))
    xywh, score = _with_digits(dets, digits)
    made = pl.DataFrame(
        {
            "image": images.image_id[dets.image_row],
            "class": CATEGORY_IDS[dets.class_row],
            "box": _joined_numbers(xywh, ", "),
            "score": score,
        }
    ).select(
        pl.concat_str(
            pl.lit('{"image_id": '),
            "image",
            pl.lit(', "category_id": '),
            "class",
            pl.lit(', "bbox": ['),
            "box",
            pl.lit('], "score": '),
            "score",
            pl.lit("}"),
        )
    )
    return made.to_series()


def _with_digits(dets: Boxes, digits: str) -> tuple[np.ndarray, np.ndarray]:
    if digits == "full":
        return dets.xywh, dets.score
    return np.round(dets.xywh, 2), np.round(dets.score, 3)


def _joined_numbers(table: np.ndarray, separator: str) -> pl.Series:
    columns = {f"c{index}": column for index, column in enumerate(table.T)}
    numbers = pl.DataFrame(columns).select(pl.concat_str(pl.all(), separator=separator))
    return numbers.to_series()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scale", type=int, default=1, help="how many val2017s of images")
    parser.add_argument("--digits", choices=DIGITS, default="rounded")
    parser.add_argument("--seed", type=int, default=Plan.seed)
    parser.add_argument("-o", "--output", type=Path, default=DATA)
    chosen = parser.parse_args()
    start = time.perf_counter()
    paths = written(Plan(n_chunks=chosen.scale, seed=chosen.seed), chosen.digits, chosen.output)
    print(f"{time.perf_counter() - start:.1f} s", *paths, sep="\n")


if __name__ == "__main__":
    main()
