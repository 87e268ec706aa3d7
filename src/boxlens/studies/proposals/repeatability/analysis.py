"""How stable the proposals of methods are over pictures; killed and started again, it goes on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from boxlens.data import Notice, counted_notice
from boxlens.detectors.processes import each_in_processes
from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.formats.given import shared_settings
from boxlens.images import ImageFiles, find_images, read_picture
from boxlens.images.files import evenly_spread
from boxlens.images.perturbing.families import FAMILY_NAMES
from boxlens.limits import WORKERS
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.proposals.generators.opening import open_named, plain_name
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.published import BASELINES
from boxlens.studies.proposals.repeatability.choice import RepeatabilityChoice
from boxlens.studies.proposals.repeatability.kept_tallies import (
    KeptTallies,
    kept_tallies,
    origin_of,
)
from boxlens.studies.proposals.repeatability.measuring import Tally, measure, pooled
from boxlens.studies.proposals.repeatability.result import MethodRepeatability, RepeatabilityResult
from boxlens.version import VERSION
from boxlens.wording import counted


@shared_settings
def repeatability(
    methods: Generator | str | Sequence[Generator | str],
    images: ImageFiles | str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    budget: int = 1000,
    perturb: Sequence[str] = FAMILY_NAMES,
    levels: Mapping[str, Sequence[float]] | None = None,
    n_images: int | None = None,
    seed: int = 0,
    keep: str | PathLike[str] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> RepeatabilityResult:
    """How stable proposals are when pictures change a little.

    `methods` are generators or names such as "edge-boxes"; `images` folders or pictures, of which
    `n_images` are used, evenly spread (None: all). `perturb` names kinds of change, `levels` those
    of a kind (all published ones); `budget` is the number of proposals per picture. In the folder
    `keep` every picture is written down when it is done: a stopped run goes on. With more than one
    worker the calling script needs the usual `if __name__ == "__main__":`.

    >>> result = repeatability("sliding-window", "images", perturb=["blur"], n_images=2)
    >>> round(result.methods[0].mean, 3)
    1.0
    """
    choice = RepeatabilityChoice(
        n_proposals=budget,
        families=tuple(perturb),
        levels=None if levels is None else {name: tuple(of) for name, of in levels.items()},
        n_images=n_images,
        seed=seed,
    )
    generators = [
        open_named(one, seed=seed) if isinstance(one, str) else one for one in listed(methods)
    ]
    files, notices = (images, ()) if isinstance(images, ImageFiles) else find_images(listed(images))
    _check(generators, files, workers)
    tasks = _tasks(generators, files, choice)
    with kept_tallies(None if keep is None else Path(keep), len(choice.steps())) as kept:
        failures = _measure_missing(generators, tasks, choice, kept, workers, progress)
        results = []
        for row, method in enumerate(generators):
            origins = [task.origins[row] for task in tasks]
            results.append(_result(method, origins, choice, kept.by_origin))
    failed = tuple(failure for task in tasks for failure in failures.get(task.row, ()))
    return RepeatabilityResult(
        choice=choice,
        methods=tuple(results),
        failed=failed,
        provenance=Provenance(VERSION, None, ()),
        notices=(
            *notices,
            *counted_notice(
                "pictures_left_out",
                len(files) - len(tasks),
                f"of {counted(len(files), 'picture')} skipped, as asked (--n-images, n_images)",
            ),
            *_failed(len(failures), len(tasks), failed),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """One picture; what a tally of each method on it is known by."""

    row: int
    path: Path
    name: str
    image_id: int | str
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """Of the methods that were missing, by their places: tallies, or why there is none."""

    task: _Task
    found: Mapping[int, Tally | str]


def _check(methods: Sequence[Generator], files: ImageFiles, workers: int) -> None:
    names = [method.name for method in methods]
    if not names or len(files) == 0:
        raise ParameterError("repeatability needs at least one method and one picture")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(f"methods need names of their own, {', '.join(twice)} is given twice")
    WORKERS.check(workers, "workers (--workers)")


def _tasks(
    methods: Sequence[Generator], files: ImageFiles, choice: RepeatabilityChoice
) -> list[_Task]:
    tasks = []
    ids = files.ids.tolist()
    for row in evenly_spread(len(files), choice.n_images):
        path, name = files.paths[row], files.names[row]
        size = path.stat().st_size if path.is_file() else -1
        origins = (origin_of(one, choice, ids[row], name, size) for one in methods)
        tasks.append(_Task(row, path, name, ids[row], tuple(origins)))
    return tasks


def _measure_missing(
    methods: Sequence[Generator],
    tasks: Sequence[_Task],
    choice: RepeatabilityChoice,
    kept: KeptTallies,
    workers: int,
    progress: Progress | None,
) -> Mapping[int, list[tuple[str, str]]]:
    """Fills in what is not kept; the failures by row of the picture."""
    failures: dict[int, list[tuple[str, str]]] = defaultdict(list)
    missing = [
        (task, places)
        for task in tasks
        if (places := [p for p, key in enumerate(task.origins) if key not in kept.by_origin])
    ]
    done = len(tasks) - len(missing)
    threads = 0 if workers == 1 else 1
    work = partial(_measure_one, tuple(methods), choice, threads)
    for answer in each_in_processes(work, missing, workers):
        for place, found in answer.found.items():
            if isinstance(found, str):
                failures[answer.task.row].append((answer.task.name, found))
            else:
                kept.add(answer.task.origins[place], found)
        done += 1
        if progress is not None:
            progress("perturbing pictures", done, len(tasks))
    return failures


def _measure_one(
    methods: tuple[Generator, ...],
    choice: RepeatabilityChoice,
    threads: int,
    wanted: tuple[_Task, list[int]],
) -> _Answer:
    task, places = wanted
    asked = [methods[place] for place in places]
    try:
        image = read_picture(task.path).pixels
        found = measure(image, task.image_id, asked, choice, threads=threads)
    except MissingExtraError:
        raise
    except InputError as problem:
        return _Answer(task, {places[0]: problem.problem})
    except Exception as problem:  # noqa: BLE001 - one picture is at fault, the others are not
        return _Answer(task, {places[0]: str(problem) or type(problem).__name__})
    named = [
        f"{method.name}: {one}" if isinstance(one, str) else one
        for method, one in zip(asked, found, strict=True)
    ]
    return _Answer(task, dict(zip(places, named, strict=True)))


def _result(
    method: Generator,
    origins: Sequence[str],
    choice: RepeatabilityChoice,
    by_origin: Mapping[str, Tally],
) -> MethodRepeatability:
    tallies = [by_origin[origin] for origin in origins if origin in by_origin]
    return MethodRepeatability(
        name=method.name,
        made_by=method.identity,
        baseline=plain_name(method) in BASELINES,
        families=pooled(tallies, choice),
        n_images=len(tallies),
    )


def _failed(
    n_failed: int, n_pictures: int, failed: Sequence[tuple[str, str]]
) -> tuple[Notice, ...]:
    first = ": ".join(failed[0]) if failed else ""
    message = (
        f"of {counted(n_pictures, 'picture')} could not be searched by every method "
        f"(first: {first}): each method counts those it could"
    )
    return counted_notice("failed_pictures", n_failed, message)
