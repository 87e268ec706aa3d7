"""Measures chance localization (CPL) on sets of growing size, and against looking at every pair.

python benchmarks/difficulty.py [--repeat N]; writes RESULTS-difficulty.md
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import sys
from pathlib import Path
from typing import Any

from measure import record_of, scripts_measured, warm
from run import DATA, real_sets

RESULTS = Path(__file__).resolve().parent / "RESULTS-difficulty.md"
# COCO train2017.
N_BOXES, N_PERSONS = 860_001, 262_465
HOW = """Boxes are those of COCO val2017 (5,000 images), and more of their kind: train2017 has
{n_boxes:,} boxes, {n_persons:,} of them persons, so as many are drawn from val2017, class by class,
each moved by a tenth of its sides and stretched by 15 % (normal, seeded). The first boxes of a set
are the smaller set. Every measurement is a fresh process, contenders take turns, times are medians
of {repeat}; the clock starts when the boxes are there. Peak memory is that of the whole process."""
MAKE = """
import json, resource, sys, time
import numpy as np
from boxlens import read_dataset
from boxlens.matching import count_overlapping_pairs
dataset = read_dataset(sys.argv[1])
gt = dataset.gt.where(~dataset.gt.crowd)
size = np.stack([dataset.images.width_px, dataset.images.height_px] * 2, axis=1)
box, group = gt.box / size[gt.image_row], gt.class_row

def more(n, n_persons):
    rng = np.random.default_rng(0)
    person = np.zeros(n, dtype=bool)
    person[rng.permutation(n)[:n_persons]] = True
    row = np.where(
        person,
        rng.choice(np.flatnonzero(group == 0), n),
        rng.choice(np.flatnonzero(group != 0), n),
    )
    sides = np.minimum(box[row, 2:] * np.exp(rng.normal(0, 0.15, (n, 2))), 1)
    centre = box[row, :2] + box[row, 2:] * (0.5 + rng.normal(0, 0.1, (n, 2)))
    corner = np.clip(centre - sides / 2, 0, 1 - sides)
    return np.concatenate([corner, sides], axis=1), group[row]

def large(n):
    rng = np.random.default_rng(0)
    sides = np.clip(rng.normal(0.6, 0.18, (n, 2)), 0.05, 1)
    corner = np.clip(0.5 + rng.normal(0, 0.1, (n, 2)) - sides / 2, 0, 1 - sides)
    return np.concatenate([corner, sides], axis=1), np.zeros(n, dtype=np.int32)
"""
REPORT = """
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
print(json.dumps({"seconds": seconds, "peak": peak, "n": len(box), "pairs": pairs}))
"""
OURS = "pairs = int(count_overlapping_pairs(box, group, 80, 0.5, threads={threads}).sum())"
# Blocks of rows, so that memory stays small; float64 as ours.
EVERY_PAIR = """
x1, y1, w, h = box.T
x2, y2, area = x1 + w, y1 + h, w * h
pairs = 0
for i in range(0, len(box), 256):
    a = slice(i, i + 256)
    wide = np.minimum(x2[a, None], x2) - np.maximum(x1[a, None], x1)
    high = np.minimum(y2[a, None], y2) - np.maximum(y1[a, None], y1)
    common = np.maximum(wide, 0) * np.maximum(high, 0)
    pairs += int((common / (area[a, None] + area - common) >= 0.5).sum())
pairs = (pairs - len(box)) // 2
"""


def script(prepare: str, timed: str) -> str:
    return f"{MAKE}\n{prepare}\nstart = time.perf_counter()\n{timed}\n{REPORT}"


def part(share: float) -> str:
    """That share of a train2017-size set: its first boxes."""
    n = round(N_BOXES * share)
    return f"box, group = more({N_BOXES}, {N_PERSONS}); box, group = box[:{n}], group[:{n}]"


PERSONS = "keep = group == 0; box, group = np.ascontiguousarray(box[keep]), group[keep]"
SIZES = {
    "COCO val2017": script("", OURS.format(threads=0)),
    "train2017-size, an eighth": script(part(1 / 8), OURS.format(threads=0)),
    "a quarter": script(part(1 / 4), OURS.format(threads=0)),
    "half": script(part(1 / 2), OURS.format(threads=0)),
    "train2017-size": script(part(1), OURS.format(threads=0)),
    "train2017-size, one thread": script(part(1), OURS.format(threads=1)),
}
LARGE = {
    f"{n:,} boxes of one class": script(f"box, group = large({n})", OURS.format(threads=0))
    for n in (32_500, 65_000, 130_000, 260_000)
}
RIVALS = {
    "Boxlens, persons of val2017": script(PERSONS, OURS.format(threads=0)),
    "every pair (NumPy), persons of val2017": script(PERSONS, EVERY_PAIR),
}


def table(found: dict[str, dict[str, Any]]) -> list[str]:
    lines = [
        "|  | boxes | pairs from IoU .5 | time | a box | peak memory |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, row in found.items():
        lines.append(
            f"| {name} | {row['n']:,.0f} | {row['pairs']:,.0f} | {row['seconds']:.3f} s | "
            f"{row['seconds'] / row['n'] * 1e6:.2f} µs | {row['peak']:,.0f} MB |"
        )
    return lines


def growth(first: dict[str, Any], last: dict[str, Any]) -> str:
    """Time grows with this power of the number of boxes; that of looking at every pair is 2."""
    power = math.log(last["seconds"] / first["seconds"]) / math.log(last["n"] / first["n"])
    return (
        f"From the first of these to {last['n']:,.0f} boxes, time grows with the power {power:.2f} "
        "of their number: less than the square, with which the pairs that are counted grow, and "
        "more than their number itself."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="turns (3)")
    chosen = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    sets = real_sets()
    if not sets:
        print("COCO val2017 is needed", file=sys.stderr)
        return 1
    truth = sets[0].truth
    warm([truth])
    load = os.getloadavg()[0]
    sizes = scripts_measured(truth, SIZES, chosen.repeat)
    large = scripts_measured(truth, LARGE, chosen.repeat)
    whole = record_of([sys.executable, "-m", "boxlens", "difficulty", str(truth)], reports=False)
    rivals = scripts_measured(truth, RIVALS, chosen.repeat)
    ours, plain = rivals.values()
    if ours["pairs"] != plain["pairs"]:
        print("the counts differ", file=sys.stderr)
        return 1
    lines = [
        "# Benchmarks of difficulty",
        "",
        (
            f"- {os.cpu_count()} cores, {platform.system()} {platform.machine()}, load average "
            f"{load:.1f} at the start"
        ),
        "",
        HOW.format(n_boxes=N_BOXES, n_persons=N_PERSONS, repeat=chosen.repeat),
        "",
        "## CPL of all classes, as the set grows",
        "",
        *table(sizes),
        "",
        growth(sizes["train2017-size, an eighth"], sizes["train2017-size"]),
        "",
        (
            f"The whole command `boxlens difficulty` on val2017, start and reading included: "
            f"{whole['wall_s']:.2f} s, {whole['peak_mb']:,.0f} MB."
        ),
        "",
        "## Large objects",
        "",
        "Large boxes near the middle, as in ILSVRC: over a quarter of all pairs overlaps enough.",
        "",
        *table(large),
        "",
        growth(*[row for at, row in enumerate(large.values()) if at in (0, len(large) - 1)]),
        "",
        "## Against looking at every pair",
        "",
        *table(rivals),
        "",
        f"The same count, {plain['seconds'] / ours['seconds']:,.0f} times as fast.",
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(RESULTS.name, "written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
