"""What breaks a detector: it is run on changed pictures, and its results are measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from boxlens.data import Dataset, Notice
from boxlens.detectors.protocols import Detector
from boxlens.detectors.run_result import Failure, Remark
from boxlens.errors import ParameterError
from boxlens.formats.coco.mask_shapes import MaskReader, mask_reader
from boxlens.formats.given import GivenDataset, Reading, checked_names, shared_settings
from boxlens.images import ImageFiles, find_images
from boxlens.images.transforming.catalogue import CLEAN, TRANSFORMS, steps_of
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.transform import TransformSettings
from boxlens.metrics.intervals import IntervalMethod, ResamplingChoice
from boxlens.progress import Progress
from boxlens.studies.robustness.bound_file import KnownBound, read_bound
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.measuring import measure
from boxlens.studies.robustness.picture_set import PictureSet, StepPictures
from boxlens.studies.robustness.result import RobustnessResult
from boxlens.studies.robustness.running import Asked, Model, Place, run_detector
from boxlens.studies.robustness.sources import usable_scenes, usable_sources
from boxlens.studies.robustness.steps import with_references

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


@shared_settings
def robustness(
    gt: GivenDataset,
    dt: Asked | Sequence[Asked],
    *,
    images: ImageFiles | Place | Sequence[Place],
    transforms: str | Sequence[str] = USUAL,
    severities: Sequence[int] | None = None,
    n_images: int | None = None,
    cut: Literal["box", "mask"] = "box",
    ignore_neighbours: bool = False,
    scenes: Place | None = None,
    shown_score: float = 0.3,
    n_examples: int = 2,
    spec: str | None = None,
    bound: Place | None = None,
    intervals: bool = False,
    replicates: int = 1000,
    level: float = 0.95,
    interval_method: IntervalMethod = "normal",
    seed: int = 0,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    names: str | Sequence[str] = (),
    keep: Place | None = None,
    batch: int = 8,
    restart: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> RobustnessResult:
    """Runs detectors on the pictures and on changed ones, and measures what breaks them.

    `gt` is the ground truth, `dt` one detector or several: objects that detect, functions of a
    picture, or words and files as `boxlens detect --model` takes them, with the `spec` of .onnx
    models, run on `batch` pictures at a time. `images` are folders of the pictures, or pictures.
    `transforms` and `severities` are the words that --transform and --severity take; the default
    are all transforms of the study and the fifteen corruptions. Objects are cut out as `cut` says,
    by "box" or "mask", and pasted on pictures of the folder `scenes` (others of the data set);
    `ignore_neighbours` does not count detections of a neighbour in the picture of another object.

    `n_images` pictures are used, evenly spread; None: all. Detections below `shown_score` are in no
    count of errors and no example; `n_examples` pictures are shown of each change. `bound` is the
    results.json of an upper bound, to be shown beside the classes. `intervals` resamples pictures
    `replicates` times to test the drops.

    In the folder `keep` everything found stays, so that a run that was stopped resumes, unless
    `restart`; a detector given as an object then needs an attribute `identity`, a text that
    changes with its weights and settings.

    >>> robustness(gt, "region", images="images", transforms="vertical_flip", n_images=4)
    RobustnessResult(ground_truth, 1 change: region AP ... unchanged)
    """
    asked = asked_robustness(
        transforms,
        severities,
        n_images=n_images,
        cut=cut,
        ignore_neighbours=ignore_neighbours,
        shown_score=shown_score,
        n_examples=n_examples,
        intervals=intervals,
        replicates=replicates,
        level=level,
        interval_method=interval_method,
        seed=seed,
    )
    one = isinstance(dt, (str, PathLike, Detector)) or callable(dt)
    given: Sequence[Any] = [dt] if one else dt  # type: ignore[assignment]
    called = checked_names(names, len(given), "detector")
    reading = Reading(split, classes, gt_format, threads=threads, progress=progress)
    dataset = reading.dataset(gt)
    known = None if bound is None else read_bound(bound, dataset.classes.name)
    changed = changed_sets(dataset, images, asked, scenes=scenes, progress=progress)
    models = [Model.opened(one, dataset, spec) for one in given]
    if called:
        models = [one.called(name) for one, name in zip(models, called, strict=True)]
    check_names([model.detector.name for model in models])
    place = None if keep is None else Path(keep)
    if place is not None:
        _check_identities(models)
    runs = {
        model.detector.name: run_detector(
            model.detector,
            model.identity,
            changed.sets,
            None if place is None else place / _folder_name(model.detector.name),
            batch=batch,
            restart=restart,
            progress=progress,
        )
        for model in models
    }
    found = {name: run.found for name, run in runs.items()}
    run_steps = replace(asked, steps=tuple(one.step for one in changed.sets[1:]))
    measured = measure(changed.sets, found, run_steps, threads=threads, progress=progress)
    result = with_bound(measured, known)
    failed = (failure for run in runs.values() for failure in run.failed)
    told = (notice for run in runs.values() for notice in run.notices)
    return replace(
        result,
        failed=(*changed.failed, *result.failed, *failed),
        remarks=changed.remarks,
        pictures=StepPictures.of(changed.sets),
        notices=(*changed.notices, *told, *result.notices),
    )


def asked_robustness(
    transforms: str | Sequence[str] = USUAL,
    severities: Sequence[int] | None = None,
    *,
    n_images: int | None = None,
    cut: Literal["box", "mask"] = "box",
    ignore_neighbours: bool = False,
    shown_score: float = 0.3,
    n_examples: int = 2,
    intervals: bool = False,
    replicates: int = 1000,
    level: float = 0.95,
    interval_method: IntervalMethod = "normal",
    seed: int = 0,
) -> RobustnessChoice:
    """Words as a checked choice."""
    words = [transforms] if isinstance(transforms, str) else transforms
    return RobustnessChoice(
        steps_of([part for word in words for part in word.split(",")], severities),
        TransformSettings(seed, cut, ignore_neighbours),
        n_images,
        shown_score,
        n_examples,
        ResamplingChoice(replicates, seed, level, interval_method) if intervals else None,
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

    Every picture is read once before: those that cannot be are skipped in all sets.
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
            "--cut mask needs masks of objects, and the ground truth has none: omit it, or give a "
            "file with segmentations"
        )
    return mask_of, notices


def with_bound(result: RobustnessResult, bound: KnownBound | None) -> RobustnessResult:
    if bound is None:
        return result
    told = (*bound.notices, *bound.of_other_pictures(result.sets[0].n_images))
    return replace(result, bound=bound, notices=(*result.notices, *told))


def check_names(names: Sequence[str]) -> None:
    if not names:
        raise ParameterError("name at least one detector (--model, dt)")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ParameterError(
            f"detectors need different names, {', '.join(twice)} is given twice (--name)"
        )


def _check_identities(models: Sequence[Model]) -> None:
    """What one detector found must not be taken for what another of its name finds."""
    for model in models:
        if not model.identity:
            raise ParameterError(
                f"{model.detector.name}: results can be kept only for a detector with an attribute "
                "`identity`, a text that changes with its weights and settings: add it or omit keep"
            )


def _folder_name(detector: str) -> str:
    """A detector may be called as no folder can be: module:function, a/b."""
    return "".join(one if one.isalnum() or one in "-_." else "_" for one in detector) or "detector"
