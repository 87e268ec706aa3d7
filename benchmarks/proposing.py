"""Measures the matching of proposals against the usual ways, and every generator on photographs.

python benchmarks/proposing.py [--repeat N] [--fresh]; writes RESULTS-proposals.md. Generators take
about twenty minutes; what they found stays in data/proposals and is used again without --fresh.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

from boxlens import proposal_recall, read_dataset
from boxlens.studies.proposals.generate import seconds_per_image
from boxlens.studies.proposals.published import PUBLISHED
from measure import record_of, scripts_measured, warm
from run import DATA, FOLDER, real_sets

RESULTS = Path(__file__).resolve().parent / "RESULTS-proposals.md"
FOUND = DATA / "proposals"
SHARED = Path(os.environ.get("BOXLENS_SHARED_DATA", FOLDER.parents[1] / "shared" / "data"))
N_PHOTOGRAPHS = 177
BLIND = ("uniform", "gaussian", "sliding-window")
METHODS = (
    "superpixels",
    "selective-search",
    "edge-boxes",
    "edge-boxes-50",
    "edge-boxes-ar",
    "bing",
    "objectness",
    "randomized-prim",
    "rantalankila",
    "geodesic",
    "rahtu",
)
HOW = """COCO val2017: 5,000 images, 36,335 objects that count, 1,000 sliding windows per image (986
on average). Every measurement is a fresh process, contenders take turns, times are medians of
{repeat}; the clock starts when the tables are in memory. Peak memory is that of the whole process.
pycocotools counts recall by score and threshold, class-agnostic (`useCats = 0`, 1,000 detections):
the task nearest to ours that it has, not the same numbers. The plain way is NumPy: the overlaps of
an image as a matrix, its largest entry again and again."""
PREPARE = """
import json, resource, sys, time
import numpy as np
from boxlens import read_dataset
from boxlens.data.windows import joined
from boxlens.studies.proposals.blind import BlindWindows
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow
dataset = read_dataset(sys.argv[1])
windows = joined(list(BlindWindows.of(SlidingWindow(), dataset, 1000).parts()))
gt = dataset.gt.where(~dataset.gt.crowd)
"""
REPORT = """
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
print(json.dumps({"seconds": seconds, "peak": peak, "recall": float(recall)}))
"""
OURS = """
from boxlens.studies.proposals.proposed import without_duplicates
from boxlens.matching.box_matching import match_boxes
start = time.perf_counter()
distinct = without_duplicates(windows, threads={threads})
found = match_boxes(
    gt.offsets, gt.box, distinct.offsets, distinct.box, {budgets}, threads={threads}
)
recall = (found.iou[-1] >= 0.5).mean()
"""
GREEDY = """
def greedy(a, b):
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(
        a[:, None, :2] + a[:, None, 2:], b[None, :, :2] + b[None, :, 2:])
    common = np.prod(np.maximum(high - low, 0), axis=2)
    iou = common / (a[:, 2:].prod(1)[:, None] + b[:, 2:].prod(1)[None] - common)
    best = np.zeros(len(a))
    for _ in range(min(iou.shape)):
        row, column = np.unravel_index(np.argmax(iou), iou.shape)
        if iou[row, column] <= 0:
            break
        best[row] = iou[row, column]
        iou[row], iou[:, column] = 0, 0
    return best
"""
PLAIN = (
    GREEDY
    + """
start = time.perf_counter()
found = [
    greedy(gt.box[gt.offsets[i]:gt.offsets[i + 1]],
           windows.box[windows.offsets[i]:windows.offsets[i + 1]])
    for i in range(windows.n_images) if gt.offsets[i] < gt.offsets[i + 1]
]
recall = (np.concatenate(found) >= 0.5).mean()
"""
)
PEER = """
import contextlib, io
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
counts = np.diff(windows.offsets)
image = np.repeat(dataset.images.id, counts)
rank = np.arange(len(windows)) - np.repeat(windows.offsets[:-1], counts)
rows = np.column_stack([image, windows.box, 1000.0 - rank, np.ones(len(windows))])
with contextlib.redirect_stdout(io.StringIO()):
    truth = COCO(sys.argv[1])
    table = truth.loadRes(rows)
    start = time.perf_counter()
    evaluation = COCOeval(truth, table, "bbox")
    evaluation.params.useCats = 0
    evaluation.params.maxDets = [1000]
    evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0, 1e10]], ["all"]
    evaluation.params.iouThrs = np.array([0.5])
    evaluation.evaluate()
    evaluation.accumulate()
recall = evaluation.eval["recall"][0, 0, 0, 0]
"""
MATCHING = {
    "Boxlens": PREPARE + OURS.format(threads=0, budgets=[1000]) + REPORT,
    "Boxlens, one thread": PREPARE + OURS.format(threads=1, budgets=[1000]) + REPORT,
    "Boxlens, seven budgets at once": PREPARE
    + OURS.format(threads=0, budgets=[1, 3, 10, 32, 100, 316, 1000])
    + REPORT,
    "pycocotools": PREPARE + PEER + REPORT,
    "NumPy": PREPARE + PLAIN + REPORT,
}
STUDIED = {
    f"{budget:,}": f"""
import json, resource, sys, time
from boxlens import proposal_recall
start = time.perf_counter()
found = proposal_recall(sys.argv[1], {list(BLIND)!r}, budgets=({budget},))
recall = found.datasets[0].methods[0].chosen[0].recall[0.5]
"""
    + REPORT
    for budget in (1000, 10_000)
}
# The boxes that EdgeBoxes finds in photographs against the same, moved a little, as those of a
# perturbed picture are.
PAIRS = f"""
import json, resource, sys, time
import numpy as np
from boxlens import read_dataset
from boxlens.formats.window_files import read_windows
dataset = read_dataset({str(DATA / "photographs.json")!r})
windows = read_windows({str(FOUND / "edge-boxes.json")!r}, dataset)
offsets, a = windows.offsets, windows.box
b = a + np.random.default_rng(0).normal(0, 4, a.shape)
b[:, 2:] = np.maximum(b[:, 2:], 1)
"""
REPEATED = {
    "Boxlens": PAIRS
    + """
from boxlens.matching.box_matching import match_boxes
start = time.perf_counter()
recall = match_boxes(offsets, a, offsets, b).iou[0].mean()
"""
    + REPORT,
    "NumPy, 5 pictures": PAIRS
    + GREEDY
    + """
start = time.perf_counter()
parts = [slice(*offsets[i:i + 2]) for i in range(5)]
recall = np.concatenate([greedy(a[part], b[part]) for part in parts]).mean()
"""
    + REPORT,
}


def matching_table(found: dict[str, dict[str, Any]]) -> list[str]:
    ours = found["Boxlens"]["seconds"]
    lines = [
        "|  | time | beside Boxlens | peak memory | recall at .5 |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {name} | {row['seconds']:.3f} s | {row['seconds'] / ours:.1f} x | "
        f"{row['peak']:,.0f} MB | {row['recall']:.4f} |"
        for name, row in found.items()
    ]
    return lines


def memory_lines(found: dict[str, dict[str, Any]]) -> list[str]:
    how = (
        "Recall by uniform, gaussian and sliding-window on COCO val2017, each in a fresh process: "
        "boxes are drawn, matched and forgotten part by part."
    )
    rows = [f"| {name} | {row['peak']:,.0f} MB |" for name, row in found.items()]
    return [how, "", "| proposals per image | peak memory |", "| ---: | ---: |", *rows]


def generated(photographs: Path, truth: Path) -> None:
    """The proposals of every method in the photographs, unless they are there."""
    FOUND.mkdir(parents=True, exist_ok=True)
    for method in METHODS:
        output = FOUND / f"{method}.json"
        if output.exists():
            continue
        word = f"bing:{SHARED / 'models' / 'bing'}" if method == "bing" else method
        print("generating", method, file=sys.stderr)
        command = ["-m", "boxlens", "proposals", "generate", word, "--images", str(photographs)]
        record = record_of(
            [sys.executable, *command, "--gt", str(truth), "-o", str(output)], reports=False
        )
        if "failure" in record:
            raise SystemExit(f"{method}: {record['failure']}")


def generator_table(truths: dict[str, Path]) -> list[str]:
    """Average recall and recall at .5 on each set, seconds, and what the study has."""
    given = [*BLIND, *(str(FOUND / f"{method}.json") for method in METHODS)]
    results = {
        name: proposal_recall(path, given, budgets=(100, 1000)).datasets[0]
        for name, path in truths.items()
    }
    heads = "".join(f" AR@100, {name} | AR@1000 | recall at .5 |" for name in truths)
    lines = [
        f"| method |{heads} s/image | published: AR | recall at .5 | s/image |",
        "| --- |" + " ---: |" * (3 * len(truths) + 4),
    ]
    first = next(iter(results.values()))
    for method in sorted(first.methods, key=lambda one: -one.chosen[-1].ar):
        cells = [method.name]
        for found in results.values():
            [one] = [row for row in found.methods if row.name == method.name]
            few, many = one.chosen
            interval = f"{many.ar:.3f} ({many.ar_low:.3f}-{many.ar_high:.3f})"
            cells += [f"{few.ar:.3f}", interval, f"{many.recall[0.5]:.3f}"]
        seconds = seconds_per_image(FOUND / f"{method.name}.json")
        cells.append("" if seconds is None else f"{seconds:.2f}")
        study = PUBLISHED.get(method.name)
        told = () if study is None else (study.ar, study.recall_50, study.seconds)
        cells += [f"{value:g}" for value in told] or [""] * 3
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def photographed(truth: Path, photographs: Path) -> Path:
    """The images of val2017 whose photographs are there, as a file."""
    from boxlens import write_dataset

    dataset = read_dataset(truth)
    ids = {int(path.stem) for path in photographs.glob("*.jpg")}
    rows = [row for row, key in enumerate(dataset.images.id.tolist()) if key in ids]
    output = DATA / "photographs.json"
    write_dataset(dataset.select_images(rows), output, format="coco")
    return output


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="turns (3)")
    parser.add_argument("--fresh", action="store_true", help="generate proposals anew")
    chosen = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    sets = real_sets()
    if not sets:
        print("COCO val2017 is needed", file=sys.stderr)
        return 1
    truth, photographs = sets[0].truth, SHARED / "images"
    if chosen.fresh:
        shutil.rmtree(FOUND, ignore_errors=True)
    few = photographed(truth, photographs)
    generated(photographs, few)
    generators = generator_table({"177": few, "80": SHARED / "coco_val2017_80" / "instances.json"})
    warm([truth])
    load = os.getloadavg()[0]
    matching = scripts_measured(truth, MATCHING, chosen.repeat)
    repeated = scripts_measured(truth, REPEATED, chosen.repeat)
    studied = scripts_measured(truth, STUDIED, 1)
    a_picture = repeated["Boxlens"]["seconds"] / N_PHOTOGRAPHS
    plain = repeated["NumPy, 5 pictures"]["seconds"] / 5
    lines = [
        "# Benchmarks of proposals",
        "",
        (
            f"- {os.cpu_count()} cores, {platform.system()} {platform.machine()}, load average "
            f"{load:.1f} at the start"
        ),
        "",
        "## Matching 1,000 proposals per image with the objects of 5,000 images",
        "",
        HOW.format(repeat=chosen.repeat),
        "",
        *matching_table(matching),
        "",
        "## Memory of a whole study",
        "",
        *memory_lines(studied),
        "",
        "## Matching 1,000 proposals with 1,000",
        "",
        (
            "As repeatability does it, on the boxes that EdgeBoxes finds in the photographs: "
            f"{a_picture * 1e3:.1f} ms a picture on all cores, the plain way "
            f"{plain * 1e3:,.0f} ms ({plain / a_picture:,.0f} times as long)."
        ),
        "",
        "## Generators",
        "",
        (
            "177 photographs of COCO val2017 with COCO's boxes, and 80 among them that nothing was "
            "learned from; docs/proposals.md says what was learned or chosen on which. "
            "In brackets 95 % intervals for another draw of images. Seconds are those that a "
            "picture takes of one core. Published: VOC07 test, 1,000 proposals, a computer of "
            "2014; its objects are larger."
        ),
        "",
        *generators,
        "",
    ]
    RESULTS.write_text("\n".join(lines), encoding="utf-8")
    print(json.dumps({"written": str(RESULTS.name)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
