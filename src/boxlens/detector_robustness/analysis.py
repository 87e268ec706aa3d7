"""What breaks a detector: it is run on changed pictures, and its results are measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxlens.data import Dataset
from boxlens.detector_robustness.bound_file import read_bound
from boxlens.detector_robustness.choice import RobustnessChoice
from boxlens.detector_robustness.importing import import_results, open_sets
from boxlens.detector_robustness.measuring import measure
from boxlens.detector_robustness.models import Asked, Model, Place
from boxlens.detector_robustness.references import with_references
from boxlens.detector_robustness.running import run_detector
from boxlens.detector_robustness.sources import usable_scenes, usable_sources
from boxlens.detectors.protocols import Detector
from boxlens.errors import ParameterError
from boxlens.formats import read_dataset
from boxlens.formats.coco.mask_shapes import mask_reader
from boxlens.images import ImageFiles, find_images
from boxlens.images.transforming.catalogue import CLEAN, TRANSFORMS
from boxlens.images.transforming.changed_set import changed_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boxlens.data import Detections, Notice
    from boxlens.detector_robustness.bound_file import KnownBound
    from boxlens.detector_robustness.importing import ExportedSet, ImportedResults
    from boxlens.detector_robustness.picture_set import PictureSet
    from boxlens.detector_robustness.result import RobustnessResult
    from boxlens.detectors.run_result import Failure, Remark
    from boxlens.formats.coco.mask_shapes import MaskReader
    from boxlens.formats.files import Progress

# The study's transforms, and the corruptions that the benchmark's mean is over.
USUAL = ("study", "corruptions")


@dataclass(frozen=True, slots=True)
class ChangedSets:
    """The unchanged pictures, then those of every step; nothing is drawn yet."""

    sets: tuple[PictureSet, ...]
    # Pictures that are in none of them, and objects that cannot be shown.
    failed: tuple[Failure, ...]
    # What is odd about the pictures of all of them.
    remarks: tuple[Remark, ...]
    notices: tuple[Notice, ...]


def robustness(
    gt: Dataset | Place,
    models: Asked | Sequence[Asked],
    *,
    images: ImageFiles | Place | Sequence[Place],
    choice: RobustnessChoice | None = None,
    scenes: Place | None = None,
    spec: str | None = None,
    split: str | None = None,
    bound: Place | None = None,
    keep: Place | None = None,
    batch: int = 8,
    restart: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> RobustnessResult:
    """Runs detectors over the pictures and over changed ones, and says what breaks them.

    Models are detectors, functions of a picture, or words and files as `boxlens detect --model`
    takes them. Without a choice, all transforms of the study and the fifteen corruptions are run.
    `bound` is the results.json of an upper bound, to be shown beside the classes. In the folder
    `keep` everything found stays, so that a run that was stopped goes on; a detector given as an
    object then needs an attribute `identity`, a text that changes with its weights and settings.
    """
    asked = choice or RobustnessChoice.of(*USUAL)
    dataset = gt if isinstance(gt, Dataset) else read_dataset(gt, split=split, threads=threads)
    known = None if bound is None else read_bound(bound, dataset.classes.name)
    one = isinstance(models, (str, PathLike, Detector)) or callable(models)
    given: Sequence[Any] = [models] if one else models  # type: ignore[assignment]
    found = changed_sets(dataset, images, asked, scenes=scenes, progress=progress)
    return run_and_measure(
        [Model.opened(one, dataset, spec) for one in given],
        found,
        asked,
        bound=known,
        keep=None if keep is None else Path(keep),
        batch=batch,
        restart=restart,
        threads=threads,
        progress=progress,
    )


def changed_sets(
    dataset: Dataset,
    images: ImageFiles | Place | Sequence[Place],
    choice: RobustnessChoice,
    *,
    scenes: Place | None = None,
    progress: Progress | None = None,
) -> ChangedSets:
    """The ground truth of every step, and of those it is compared with, from sizes and boxes.

    Every picture is read once before: those that cannot be are left out of all sets.
    """
    files, notices = (
        (images, ()) if isinstance(images, ImageFiles) else find_images(images, dataset=dataset)
    )
    sources = usable_sources(dataset, files, choice.n_images, progress)
    pictured = sources.pictured
    mask_of, mask_notices = _masks(pictured.dataset, choice)
    digest = "" if mask_of is None else mask_of.digest()
    pasted_on = usable_scenes(scenes, pictured.dataset, choice.settings.seed, progress)
    sets = [
        changed_set(
            pictured.dataset,
            pictured.files,
            step,
            choice.settings,
            scenes=pasted_on.scenes,
            mask_of=mask_of,
            mask_digest=digest,
        )
        for step in (CLEAN, *with_references(choice.steps))
    ]
    return ChangedSets(
        tuple(sets),
        (*sources.failed, *pasted_on.failed),
        sources.remarks,
        (*notices, *sources.notices, *mask_notices, *pasted_on.notices),
    )


def _masks(
    dataset: Dataset, choice: RobustnessChoice
) -> tuple[MaskReader | None, tuple[Notice, ...]]:
    """Only where a step looks at them: they take time, and damaged ones are told."""
    asked = choice.settings.cut == "mask"
    if not asked and not any(TRANSFORMS[step.name].needs_scene for step in choice.steps):
        return None, ()
    mask_of, notices = mask_reader(dataset)
    if mask_of is None and asked:
        raise ParameterError(
            "--cut mask keeps the masks of objects, and the ground truth has none: leave it out, "
            "or give a file with segmentations"
        )
    return mask_of, notices


def run_and_measure(
    models: Sequence[Model],
    changed: ChangedSets,
    choice: RobustnessChoice,
    *,
    bound: KnownBound | None = None,
    keep: Path | None = None,
    batch: int = 8,
    restart: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> RobustnessResult:
    """Every detector over every set; what it finds is kept in a folder of its name."""
    _check_names([model.detector.name for model in models])
    if keep is not None:
        _check_identities(models)
    found: dict[str, Sequence[Detections]] = {}
    failed: list[Failure] = []
    notices: list[Notice] = []
    for model in models:
        name = model.detector.name
        run = run_detector(
            model.detector,
            model.identity,
            changed.sets,
            None if keep is None else keep / _folder_name(name),
            batch=batch,
            restart=restart,
            progress=progress,
        )
        found[name] = run.found
        failed += run.failed
        notices += run.notices
    run_steps = replace(choice, steps=tuple(one.step for one in changed.sets[1:]))
    measured = measure(changed.sets, found, run_steps, threads=threads, progress=progress)
    result = _beside(measured, bound)
    return replace(
        result,
        failed=(*changed.failed, *result.failed, *failed),
        remarks=changed.remarks,
        notices=(*changed.notices, *notices, *result.notices),
    )


def imported_robustness(
    sets: Place | Sequence[ExportedSet],
    results: Place | Sequence[Place],
    choice: RobustnessChoice | None = None,
    *,
    all_sets: bool = False,
    names: Sequence[str] = (),
    bound: Place | None = None,
    partial: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> RobustnessResult:
    """The same for results made elsewhere on sets that were exported: a folder a detector.

    Each folder has a results file a set. Without a choice, or with `all_sets`, all sets are looked
    at, otherwise the steps of the choice. With `partial`, sets that one of the detectors has no
    results for are left out.
    """
    listed = [results] if isinstance(results, (str, PathLike)) else results
    folders = [Path(one) for one in listed]
    called = list(names) or [folder.resolve().name for folder in folders]
    if len(called) != len(folders):
        raise ParameterError(f"{len(folders)} folders of results, and {len(called)} names")
    _check_names(called)
    exported = open_sets(sets) if isinstance(sets, (str, PathLike)) else sets
    opened = _asked(exported, None if all_sets else choice)
    known_bound = None if bound is None else read_bound(bound, opened[0].dataset.classes.name)
    imported = {
        name: import_results(opened, folder, name=name, partial=partial)
        for folder, name in zip(folders, called, strict=True)
    }
    kept, found = _of_all(opened, imported)
    steps = tuple(one.step for one in kept[1:])
    export = opened[0].export
    given = choice or RobustnessChoice(steps)
    # Pictures and settings are those of the export.
    asked = replace(given, steps=steps, settings=export.settings, n_images=None)
    measured = measure(kept, found, asked, threads=threads, progress=progress)
    result = _beside(measured, known_bound)
    told = tuple(notice for one in imported.values() for notice in one.notices)
    return replace(
        result, failed=export.failed, notices=(*result.notices, *export.notices(), *told)
    )


def _of_all(
    sets: Sequence[ExportedSet], imported: Mapping[str, ImportedResults]
) -> tuple[list[ExportedSet], dict[str, list[Detections]]]:
    """The sets that every detector has results of, and these results."""
    kept: list[ExportedSet] = []
    found: dict[str, list[Detections]] = {name: [] for name in imported}
    for row, one in enumerate(sets):
        tables = {name: of.found[row] for name, of in imported.items()}
        known = {name: table for name, table in tables.items() if table is not None}
        if len(known) == len(tables):
            kept.append(one)
            for name, table in known.items():
                found[name].append(table)
    if len(kept) < 2:
        raise ParameterError("no set has results of all detectors, the unchanged pictures apart")
    return kept, found


def _beside(result: RobustnessResult, bound: KnownBound | None) -> RobustnessResult:
    if bound is None:
        return result
    told = (*bound.notices, *bound.of_other_pictures(result.sets[0].n_images))
    return replace(result, bound=bound, notices=(*result.notices, *told))


def _asked(sets: Sequence[ExportedSet], choice: RobustnessChoice | None) -> list[ExportedSet]:
    """The unchanged pictures, and all sets, or those of the choice and what they need beside."""
    if choice is None:
        return list(sets)
    by_slug = {one.step.slug: one for one in sets}
    missing = [step.slug for step in choice.steps if step.slug not in by_slug]
    if missing:
        raise ParameterError(f"not among the exported sets: {', '.join(missing)}")
    wanted = [step.slug for step in with_references(choice.steps)]
    return [sets[0], *(by_slug[slug] for slug in wanted if slug in by_slug)]


def _check_names(names: Sequence[str]) -> None:
    if not names:
        raise ParameterError("name at least one detector (--model, models)")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(
            f"detectors need names of their own, {', '.join(twice)} is given twice (--name, names)"
        )


def _check_identities(models: Sequence[Model]) -> None:
    """What one detector found must not be taken for what another of its name finds."""
    for model in models:
        if not model.identity:
            raise ParameterError(
                f"{model.detector.name}: what it finds can be kept only if it says which detector "
                "it is: give it an attribute `identity`, a text that changes with its weights and "
                "settings, or leave out keep"
            )


def _folder_name(detector: str) -> str:
    """A detector may be called as no folder can be: module:function, a/b."""
    return "".join(one if one.isalnum() or one in "-_." else "_" for one in detector) or "detector"
