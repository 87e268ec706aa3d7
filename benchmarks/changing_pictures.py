"""Measures transforms of pictures, crops, classifiers and the scoring of labelled boxes.

python benchmarks/changing_pictures.py [--repeat N]; writes RESULTS-robustness.md in a few minutes.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
from contextlib import redirect_stdout
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from boxlens import read_dataset, write_dataset, write_detections
from boxlens.images import find_images, read_picture
from boxlens.images.crops import cut_inside
from boxlens.images.transforming.catalogue import TRANSFORMS, steps_of
from boxlens.images.transforming.shot import Exposure, Shot, no_mask
from boxlens.images.transforming.transform import Change, Step, TransformSettings
from boxlens.scenes.large import large_dataset
from boxlens.studies.upper_bound.bounds import strategy_bound
from boxlens.studies.upper_bound.relabelling import ObjectLabels
from boxlens.studies.upper_bound.result import OWN_BOX
from boxlens.studies.upper_bound.scoring import labelled_boxes
from run import FOLDER, real_sets

if TYPE_CHECKING:
    from collections.abc import Callable

    from boxlens.data import Dataset, Detections

RESULTS = Path(__file__).resolve().parent / "RESULTS-robustness.md"
SHARED = Path(os.environ.get("BOXLENS_SHARED_DATA", FOLDER.parents[1] / "shared" / "data"))
WIDTH, HEIGHT = 640, 480
N_PICTURES = 12
WORKERS = 2


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeat", type=int, default=3)
    repeat = options.parse_args().repeat
    parts = [
        "# Benchmarks of upper bound and robustness\n",
        _machine(),
        _transforms(repeat),
        _crops(repeat),
        _scoring(repeat),
    ]
    RESULTS.write_text("\n".join(parts) + "\n")
    print(RESULTS.read_text())


def _machine() -> str:
    system = f"{platform.system()} {platform.machine()}"
    return (
        f"- {os.cpu_count()} cores, {system}, load average {os.getloadavg()[0]:.1f} at the start\n"
    )


def exposures() -> list[Exposure]:
    """Photographs of COCO val2017 as they are, 640 x 480, with their boxes."""
    dataset = read_dataset(real_sets()[0].truth)
    files, _ = find_images(SHARED / "images", dataset=dataset)
    row_of_id = dataset.images.row_of_id()
    found = []
    for key, path in zip(files.ids.tolist(), files.paths, strict=True):
        row = row_of_id[key]
        gt = dataset.gt
        objects = slice(*gt.offsets[row : row + 2].tolist())
        pixels = read_picture(path).pixels
        if pixels.shape[:2] != (HEIGHT, WIDTH) or objects.start == objects.stop:
            continue
        shot = Shot(str(key), WIDTH, HEIGHT, gt.box[objects], gt.crowd[objects])
        found.append(Exposure(shot, pixels, no_mask))
        if len(found) == N_PICTURES:
            break
    return found


def _worker(arguments: tuple[str, float, int]) -> float:
    """Seconds that one process takes for `n` pictures of a step, plans included."""
    import cv2

    name, level, n = arguments
    cv2.setNumThreads(1)
    shown = exposures()
    transform, change = TRANSFORMS[name], Change(level, TransformSettings())
    made = 0
    start = 0.0
    for number in range(-len(shown), n):
        if number == 0:
            start, made = time.perf_counter(), 0
        one, scene = shown[number % len(shown)], shown[(number + 1) % len(shown)]
        one = one.on(scene) if transform.needs_scene else one
        for layout in transform.plan(one.shot, change)[:1]:
            transform.draw(one, layout, change)
            made += 1
    return (time.perf_counter() - start) / max(made, 1)


def _steps() -> list[Step]:
    """Of every transform the highest of its published levels."""
    found = []
    for name, transform in TRANSFORMS.items():
        if name == "clean":
            continue
        levels = [step.level for step in steps_of([name])]
        found.append(Step(name, max(levels, key=lambda level: 0 if math.isnan(level) else level)))
        assert transform.name == name
    return found


def _transforms(repeat: int) -> str:
    rows = []
    with get_context("spawn").Pool(WORKERS) as pool:
        for step in _steps():
            each = []
            for _ in range(repeat):
                both = pool.map(_worker, [(step.name, step.level, 36)] * WORKERS, chunksize=1)
                each.append(WORKERS / max(both))
            rows.append((step, median(each)))
    rows.sort(key=lambda row: row[1])
    table = [["transform", "level", "pictures a second"]]
    table += [
        [step.name, "" if math.isnan(step.level) else f"{step.level:g}", f"{speed:,.0f}"]
        for step, speed in rows
    ]
    slow = sum(speed < 100 for _, speed in rows)
    return (
        "## Transforms\n\n"
        f"{WIDTH} x {HEIGHT} photographs in memory, {WORKERS} processes at once, both busy; the "
        "plan and the drawing of one picture, at the highest level; medians of "
        f"{repeat}. {slow} of {len(rows)} are below 100 pictures a second.\n\n{_markdown(table)}\n"
    )


def _timed(work: Callable[[], object], repeat: int) -> float:
    work()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return median(seconds)


def _crops(repeat: int) -> str:
    import cv2

    from boxlens.detectors.classifiers.torch.classifier import squared

    cv2.setNumThreads(1)
    shown = exposures()
    boxes = [(one.pixels, box) for one in shown for box in one.shot.box]

    def cut() -> None:
        for pixels, box in boxes:
            cut_inside(pixels, box)

    def cut_and_resize() -> None:
        for pixels, box in boxes:
            crop = cut_inside(pixels, box)
            if crop is not None:
                squared(crop, 224)

    plain, resized = (len(boxes) / _timed(work, 7 * repeat) for work in (cut, cut_and_resize))
    return (
        "## Crops\n\n"
        f"On one core: {plain:,.0f} crops a second are cut from pictures in memory, {resized:,.0f} "
        "are cut and brought to 224 x 224.\n"
    )


def _scoring(repeat: int) -> str:
    dataset = large_dataset(7_000, 51_000, seed=0)
    n = len(dataset.gt)
    random = np.random.default_rng(0)
    wrong = random.integers(0, len(dataset.classes), n)
    said = np.where(random.random(n) < 0.7, dataset.gt.class_row, wrong).astype(np.int32)
    labels = ObjectLabels(OWN_BOX, said, random.random(n))
    seconds = _timed(lambda: strategy_bound(dataset, labels), 7 * repeat)
    peer, uap = _pycocotools(dataset, labelled_boxes(dataset, labels))
    ours = strategy_bound(dataset, labels).uap
    return (
        "## Scoring\n\n"
        f"{n:,} labelled boxes of {len(dataset.images):,} images, {len(dataset.classes)} classes: "
        "UAP at ten IoU thresholds, by class and size, accuracy and correlation in "
        f"{seconds:.3f} s; pycocotools takes {peer:.1f} s for its twelve numbers of the same boxes "
        f"in memory ({peer / seconds:,.0f} times as long; AP {uap:.12f}, UAP {ours:.12f}).\n"
    )


def _pycocotools(dataset: Dataset, boxes: Detections) -> tuple[float, float]:
    """Seconds from loaded annotations to the summary."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with TemporaryDirectory() as folder, redirect_stdout(None):
        write_dataset(dataset, Path(folder) / "gt.json", "coco")
        write_detections(boxes, dataset, Path(folder) / "dt.json", "coco")
        truth = COCO(str(Path(folder) / "gt.json"))
        found = truth.loadRes(str(Path(folder) / "dt.json"))
        start = time.perf_counter()
        evaluated = COCOeval(truth, found, "bbox")
        evaluated.evaluate()
        evaluated.accumulate()
        evaluated.summarize()
        return time.perf_counter() - start, float(evaluated.stats[0])


def _markdown(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "| --- | --- | ---: |", *lines[1:]])


if __name__ == "__main__":
    main()
