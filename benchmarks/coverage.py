"""Do intervals cover? Test sets drawn from worlds whose AP is known (METHODS 11).

python benchmarks/coverage.py [--quick] [--processes N] [--as-is]; writes RESULTS-coverage.md. A
broken run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.metrics.bootstrap import Draws, draw, resample
from boxlens.metrics.grid import GridChoice
from boxlens.metrics.intervals import (
    ResamplingChoice,
    chance_below,
    interval,
    two_sided,
)
from boxlens.metrics.protocols import prepare
from boxlens.metrics.resampling import grid_sampler
from boxlens.studies.comparison.exchange import exchange, exchange_p
from coverage_tables import document
from coverage_worlds import WORLDS, draw_test_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from boxlens.metrics.intervals import IntervalMethod
    from boxlens.metrics.resampling import Sampler
    from coverage_worlds import DrawnSet

    # A number as it is, in every replicate, and without every group of images.
    Found = tuple[Draws, Draws, Draws]

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS-coverage.md"
# COCO's ten thresholds; objects of all sizes.
GRID = GridChoice(area_ranges={"all": (0.0, 1e10)}, max_dets=(100,))
METRICS = ("AP", "AP50")
PAIRS = (("A", "B"), ("A", "C"))
TRIED: tuple[IntervalMethod, ...] = ("normal", "percentile", "bca")


@dataclass(frozen=True)
class Plan:
    """How much is drawn; `n_sets` by number of images."""

    n_sets: dict[int, int]
    n_replicates: int
    n_jackknife: int
    n_permutations: int
    n_truth_images: int
    n_truth_parts: int
    seed: int = 11
    worlds: tuple[str, ...] = tuple(WORLDS)

    def key(self) -> str:
        """Of all parameters and of the code that draws: other worlds are another run."""
        code = (HERE / "coverage_worlds.py").read_text(encoding="utf-8")
        return hashlib.sha256((repr(self) + code).encode()).hexdigest()[:12]


FULL = Plan(
    n_sets={100: 1000, 500: 600, 5000: 200},
    n_replicates=400,
    n_jackknife=100,
    n_permutations=99,
    n_truth_images=250_000,
    n_truth_parts=4,
)
QUICK = replace(FULL, n_sets={100: 100, 500: 50, 5000: 10}, n_truth_images=50_000, n_truth_parts=2)


@dataclass(frozen=True)
class Job:
    """One test set, or one part of the very large one (`row` from -1 down)."""

    world: str
    n_images: int
    row: int


def jobs(plan: Plan) -> list[Job]:
    """The truth first; test sets of all sizes in turns, so that a broken run tells something."""
    parts = [
        Job(world, plan.n_truth_images, -1 - part)
        for world in plan.worlds
        for part in range(plan.n_truth_parts)
    ]
    sets = [
        Job(world, n_images, row)
        for n_images, total in plan.n_sets.items()
        for row in range(total)
        for world in plan.worlds
    ]
    return parts + sorted(sets, key=lambda job: job.row / plan.n_sets[job.n_images])


def measure(job: Job, plan: Plan) -> dict[str, Any]:
    """Everything the tables need to know of one test set."""
    world = WORLDS[job.world]
    rng = np.random.default_rng([plan.seed, world.n_classes, job.n_images, job.row + 1000])
    drawn = draw_test_set(world, job.n_images, rng)
    samplers = _samplers(drawn)
    ones = np.ones((1, job.n_images), dtype=np.int32)
    whole = {name: draw(sampler, ones, threads=1) for name, sampler in samplers.items()}
    if job.row < 0:
        return {**asdict(job), "by_class": {name: _by_class(of) for name, of in whole.items()}}
    present = np.unique(drawn.dataset.gt.class_row).tolist()
    return {**asdict(job), "present": present, "numbers": _numbers(job, plan, samplers, whole)}


def _by_class(of: Draws) -> dict[str, list[float]]:
    return {metric: of.by_class[metric][0].tolist() for metric in METRICS}


def _numbers(
    job: Job, plan: Plan, samplers: dict[str, Sampler], whole: dict[str, Draws]
) -> dict[str, Any]:
    """Of A, and of A against the others."""
    choice = ResamplingChoice(
        n_replicates=plan.n_replicates, n_jackknife=plan.n_jackknife, seed=job.row
    )
    resampled = resample(list(samplers.values()), choice, threads=1)
    found = {
        name: (whole[name], one.bootstrap, one.jackknife)
        for name, one in zip(samplers, resampled, strict=True)
    }
    numbers = {
        f"A {metric}": _estimates(found["A"], metric, choice, difference=False)
        for metric in METRICS
    }
    for a, b in PAIRS:
        one, other = found[a], found[b]
        difference = (_minus(one[0], other[0]), _minus(one[1], other[1]), _minus(one[2], other[2]))
        exchanged = exchange(samplers[a], samplers[b], plan.n_permutations, seed=job.row, threads=1)
        for metric in METRICS:
            estimates = _estimates(difference, metric, choice, difference=True)
            estimates["p"]["permutation"] = exchange_p(estimates["value"], exchanged.whole[metric])
            numbers[f"{a}-{b} {metric}"] = estimates
    return numbers


def _samplers(drawn: DrawnSet) -> dict[str, Sampler]:
    return {
        name: grid_sampler(prepare(drawn.dataset, detections, "coco"), GRID, threads=1)
        for name, detections in drawn.detections.items()
    }


def _estimates(
    of: Found, metric: str, choice: ResamplingChoice, *, difference: bool
) -> dict[str, Any]:
    """Every interval and every p-value of one number."""
    value, drawn, left = (float(of[0].whole[metric][0]), *(d.whole[metric] for d in of[1:]))
    ends: dict[str, list[float]] = {}
    p: dict[str, float] = {}
    for method in TRIED:
        chosen = replace(choice, method=method)
        estimate = interval(value, drawn, left, chosen, difference=difference)
        ends[method] = [estimate.low, estimate.high]
        p[method] = two_sided(chance_below(value, drawn, left, chosen))
    return {
        "value": value,
        "se": estimate.se,
        "se_jackknife": estimate.se_jackknife,
        "bias": estimate.bias,
        "ends": ends,
        "p": p,
    }


def _minus(a: Draws, b: Draws) -> Draws:
    return Draws({metric: a.whole[metric] - b.whole[metric] for metric in METRICS}, {})


def records(
    plan: Plan, folder: Path, processes: int = 1, *, as_is: bool = False
) -> list[dict[str, Any]]:
    """Measured, or read where an earlier run has measured them."""
    folder.mkdir(exist_ok=True)
    path = folder / f"coverage-{plan.key()}.jsonl"
    found = list(_read(path))
    done = {Job(row["world"], row["n_images"], row["row"]) for row in found}
    left = [job for job in jobs(plan) if job not in done and not as_is]
    with path.open("a", encoding="utf-8") as file:
        for number, row in enumerate(_measured(left, plan, processes), start=1 + len(found)):
            file.write(json.dumps(row) + "\n")
            file.flush()
            found.append(row)
            if number % 100 == 0:
                print(f"{number:,} of {len(done) + len(left):,}", file=sys.stderr)
    return found


def _measured(left: list[Job], plan: Plan, processes: int) -> Iterable[dict[str, Any]]:
    one = partial(measure, plan=plan)
    if processes == 1:
        return map(one, left)
    return _in_processes(one, left, processes)


def _in_processes(
    one: partial[dict[str, Any]], left: list[Job], processes: int
) -> Iterator[dict[str, Any]]:
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(one, left)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    """Whole lines only: the last one may have been cut."""
    if path.exists():
        whole, _, cut = path.read_text(encoding="utf-8").rpartition("\n")
        if cut:
            path.write_text(whole + "\n" * bool(whole), encoding="utf-8")
        yield from map(json.loads, filter(None, whole.split("\n")))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the test sets")
    parser.add_argument("--processes", type=int, default=1, help="at the same time (1)")
    parser.add_argument("--as-is", action="store_true", help="tables of what is measured so far")
    chosen = parser.parse_args()
    plan = QUICK if chosen.quick else FULL
    found = records(plan, HERE / "data", chosen.processes, as_is=chosen.as_is)
    RESULTS.write_text(document(found, plan), encoding="utf-8")
    print(RESULTS.name, "written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
