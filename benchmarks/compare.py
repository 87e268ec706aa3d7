"""Measures paired resampling of two detectors: against its peer, and as images and more grow.

python benchmarks/compare.py [--repeat N]; writes RESULTS-compare.md
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from measure import record_of, warm
from run import DATA, real_sets

RESULTS = Path(__file__).resolve().parent / "RESULTS-compare.md"
HOW = """Two real detectors on COCO val2017 (5,000 images, 80 classes): YOLOX-nano with 256,982
detections, FastestDet with 362,309. Every measurement is a fresh process; contenders take turns,
and times are medians of {repeat}. The clock starts when the files are read and all modules
imported, so matching is in it; peak memory is that of the whole process, reading included. A
replicate is one resampled test set on which both detectors are counted. hotcoco is timed with its
own matching done before the clock starts, and with few replicates, since each takes so long; it
counts an image that is drawn twice only once, so its standard errors are smaller."""
LOAD = """
from boxlens import read_dataset, read_detections
import boxlens.formats.coco, boxlens.formats.sniff
from boxlens.data.selection import select_images
from boxlens.metrics.bootstrap import resample
from boxlens.metrics.evaluation import choose, samplers
from boxlens.metrics.intervals import ResamplingChoice, interval
import numpy as np
dataset = read_dataset(paths[0])
tables = [read_detections(path, dataset) for path in paths[1:]]
"""
COUNT = """
walks = samplers(dataset, tables, choose({choice}))
choice = ResamplingChoice(n_replicates={replicates}, n_jackknife=2)
drawn = resample(walks, choice, threads={threads})
gap = drawn[0].bootstrap.whole["AP"] - drawn[1].bootstrap.whole["AP"]
"""
AP_ALONE = 'area_ranges={"all": (0, 1e10)}, max_dets=[100]'
SE = "float(gap.std(ddof=1))"
HOTCOCO_LOAD = """
from hotcoco import COCO, COCOeval, compare
gt = COCO(paths[0])
runs = [COCOeval(gt, gt.load_res(path), "bbox") for path in paths[1:]]
for run in runs:
    run.evaluate()
"""


@dataclass(frozen=True)
class Contest:
    """What is done before the clock starts and under it, and how often."""

    name: str
    before: str
    timed: str
    error: str
    n_replicates: int

    def script(self) -> str:
        return "\n".join(
            (
                "import json, resource, sys, time",
                "paths = sys.argv[1:]",
                self.before,
                "start = time.perf_counter()",
                self.timed,
                "seconds = time.perf_counter() - start",
                "peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3",
                f"print(json.dumps({{'seconds': seconds, 'peak': peak_mb, 'se': {self.error}}}))",
            )
        )


def boxlens(
    name: str, choice: str = AP_ALONE, *, replicates: int = 1000, more: str = "", threads: int = 0
) -> Contest:
    timed = COUNT.format(choice=choice, replicates=replicates, threads=threads)
    return Contest(name, LOAD + more, timed, SE, replicates)


def some_images(share: float) -> str:
    return (
        f"rows = np.arange(round({share} * len(dataset.images)))\n"
        "parts = [select_images(dataset, table, rows) for table in tables]\n"
        "dataset, tables = parts[0][0], [table for _, table in parts]\n"
    )


MAIN = (
    boxlens("Boxlens, AP over ten thresholds"),
    boxlens("Boxlens, all twelve numbers and 80 classes", ""),
    Contest(
        "hotcoco, all twelve numbers",
        HOTCOCO_LOAD,
        "found = compare(*runs, n_bootstrap=20, seed=0)",
        "found['ci']['AP']['std_err']",
        20,
    ),
)
GROWTH = (
    boxlens("one thread", threads=1),
    boxlens("250 replicates", replicates=250),
    boxlens("500 replicates", replicates=500),
    boxlens("1,000 replicates"),
    boxlens("2,000 replicates", replicates=2000),
    boxlens("a quarter of the images", more=some_images(0.25)),
    boxlens("half of the images", more=some_images(0.5)),
    boxlens("four detectors", more="tables = tables * 2\n"),
    boxlens("eight detectors", more="tables = tables * 4\n"),
)


def measured(files: list[Path], contests: tuple[Contest, ...], repeat: int) -> dict[str, Any]:
    """In turns, each in a fresh process; medians of what each says of itself."""
    records: dict[str, list[dict[str, Any]]] = {one.name: [] for one in contests}
    for _ in range(repeat):
        for one in contests:
            command = [sys.executable, "-c", one.script(), *map(str, files)]
            record = record_of(command, reports=True)
            records[one.name].append(record)
            print(one.name, record.get("failure") or f"{record['seconds']:.2f} s", file=sys.stderr)
    return {
        name: rows[0]
        if "failure" in rows[0]
        else {key: statistics.median(row[key] for row in rows) for key in ("seconds", "peak", "se")}
        for name, rows in records.items()
    }


def table(contests: tuple[Contest, ...], found: dict[str, Any], unit: float) -> list[str]:
    """`unit` is the time of a replicate that ratios are to."""
    lines = [
        "|  | replicates | time | a replicate | to the first | peak memory | SE of difference |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for one in contests:
        row = found[one.name]
        if "failure" in row:
            lines.append(f"| {one.name} | {one.n_replicates:,} | {row['failure']} |")
            continue
        each = row["seconds"] / one.n_replicates
        lines.append(
            f"| {one.name} | {one.n_replicates:,} | {row['seconds']:.2f} s | {each * 1e3:.2f} ms | "
            f"**{each / unit:.1f}x** | {row['peak']:,.0f} MB | {row['se']:.5f} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="turns (3)")
    chosen = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    sets = real_sets()
    if len(sets) < 2:
        print("two real detectors are needed", file=sys.stderr)
        return 1
    files = [sets[0].truth, *(one.dets for one in sets[:2])]
    warm(files)
    load = os.getloadavg()[0]
    main_found = measured(files, MAIN, chosen.repeat)
    growth = measured(files, GROWTH, chosen.repeat)
    unit = main_found[MAIN[0].name]["seconds"] / MAIN[0].n_replicates
    lines = [
        "# Benchmarks of the comparison",
        "",
        (
            f"- {os.cpu_count()} cores, {platform.system()} {platform.machine()}, load average "
            f"{load:.1f} at the start"
        ),
        f"- boxlens (from its sources), hotcoco {metadata.version('hotcoco')}",
        "",
        HOW.format(repeat=chosen.repeat),
        "",
        "## 1,000 paired replicates",
        "",
        *table(MAIN, main_found, unit),
        "",
        "## As it grows (AP over ten thresholds)",
        "",
        *table(GROWTH, growth, unit),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(RESULTS.name, "written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
