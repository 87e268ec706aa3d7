"""Times Boxlens inside one process, imports excluded, and prints JSON on its last line.

python benchmarks/inside.py read TRUTH DETECTIONS --threads 1
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boxlens

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 7


def best_s(action: Callable[[], object]) -> float:
    """The smallest of seven runs after a warm-up: what the work costs when nothing disturbs it."""
    action()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def read(truth: Path, dets: Path, threads: int) -> dict[str, Any]:
    """Detections from a file that is in the page cache."""
    dataset = boxlens.read_dataset(truth)
    n_read = len(boxlens.read_detections(dets, dataset, threads=threads).score)
    seconds = best_s(lambda: boxlens.read_detections(dets, dataset, threads=threads))
    return {"best_s": seconds, "n_bytes": dets.stat().st_size, "n_detections": n_read}


def evaluate(truth: Path, dets: Path, threads: int) -> dict[str, Any]:
    """Matching and metrics, files already read."""
    dataset = boxlens.read_dataset(truth)
    detections = boxlens.read_detections(dets, dataset)
    seconds = best_s(lambda: boxlens.evaluate(dataset, detections, threads=threads))
    return {"best_s": seconds}


def convert(truth: Path, dets: Path, target: Path) -> dict[str, Any]:
    """The same detections as a Parquet file."""
    from boxlens.formats import write_detections

    dataset = boxlens.read_dataset(truth)
    write_detections(boxlens.read_detections(dets, dataset), dataset, target, "parquet")
    return {"n_bytes": target.stat().st_size}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=("read", "evaluate", "convert"))
    parser.add_argument("truth", type=Path)
    parser.add_argument("detections", type=Path)
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    parser.add_argument("--target", type=Path, help="where convert writes")
    chosen = parser.parse_args()
    if chosen.threads:
        # Polars reads it when first imported, which Boxlens does on demand.
        os.environ["POLARS_MAX_THREADS"] = str(chosen.threads)
    if chosen.action == "convert":
        report = convert(chosen.truth, chosen.detections, chosen.target)
    else:
        action = {"read": read, "evaluate": evaluate}[chosen.action]
        report = action(chosen.truth, chosen.detections, chosen.threads)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
