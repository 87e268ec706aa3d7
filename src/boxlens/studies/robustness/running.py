"""Detectors over sets of changed pictures; a run that was stopped resumes.

Of every set a folder keeps the results as a COCO file, and beside it what they were made from,
so that results of other settings are never taken for these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from boxlens.data import Classes, Dataset, Detections, Notice
from boxlens.detectors.from_callable import from_function
from boxlens.detectors.journal import summed_notices
from boxlens.detectors.opening import open_detector
from boxlens.detectors.protocols import Detector
from boxlens.detectors.renaming import with_classes
from boxlens.detectors.run import detect_pictures, journal_path
from boxlens.detectors.run_result import Failure, RunResult
from boxlens.formats import read_detections
from boxlens.formats.unfinished import kept_or_scratch
from boxlens.images import Pixels
from boxlens.images.transforming.transform import Step
from boxlens.progress import Progress
from boxlens.studies.robustness.origins import Origin
from boxlens.studies.robustness.picture_set import PictureSet
from boxlens.version import VERSION

Place = str | PathLike[str]
# What users may give as a detector.
Asked = Detector | Callable[..., Any] | Place
SCHEMA = "boxlens/changed-results/1"
# Threads that decode and draw the pictures of a batch.
READERS = 2
_REMEDY = "--restart discards them and starts again; or name another folder"


@dataclass(frozen=True, slots=True)
class NamedDetector:
    """A detector under another name."""

    detector: Detector
    name: str

    @property
    def classes(self) -> Classes:
        return self.detector.classes

    def detect(self, images: Sequence[Pixels]) -> Detections:
        return self.detector.detect(images)


@dataclass(frozen=True, slots=True)
class Model:
    """A detector that is ready, and what changes with its file or settings; "": nothing tells."""

    detector: Detector
    identity: str

    def called(self, name: str) -> Model:
        return Model(NamedDetector(self.detector, name), self.identity)

    @classmethod
    def opened(cls, model: Asked, dataset: Dataset, spec: str | None = None) -> Model:
        """A detector itself, a function of a picture, or what `boxlens detect --model` takes.

        The `identity` of the former, if it has one, is a text of its own making.
        """
        if isinstance(model, Detector):
            return cls(model, str(getattr(model, "identity", "")))
        if callable(model):
            return cls(from_function(model, dataset.classes), str(getattr(model, "identity", "")))
        return cls(*open_detector(fspath(model), spec=spec, classes=dataset.classes))


class DetectorRun(NamedTuple):
    """What one detector found, set by set, and on which pictures it could not be asked."""

    found: tuple[Detections, ...]
    failed: tuple[Failure, ...]
    notices: tuple[Notice, ...]


def run_detector(
    detector: Detector,
    identity: str,
    sets: Sequence[PictureSet],
    folder: Path | None,
    *,
    batch: int = 8,
    restart: bool = False,
    progress: Progress | None = None,
) -> DetectorRun:
    """Detections on every set, under the classes of its ground truth.

    `identity` says which model and settings; `folder` keeps the results of this one detector, and
    without it nothing is kept. Sets that are done are taken over.
    """
    renamed, notices = with_classes(detector, sets[0].dataset.classes)
    with kept_or_scratch(folder) as place:
        kept = [_kept(place, one, detector, identity) for one in sets]
        if restart:
            for one in kept:
                one.clear()
        for one in kept:
            one.origin.refuse_other(one.results, _REMEDY)
        outcomes: list[_Outcome] = []
        for number, one in enumerate(kept, start=1):
            told = _told(progress, f"{_words(one.pictures.step)} ({number:,} of {len(kept):,})")
            proven = any(outcome.n_done for outcome in outcomes)
            outcomes.append(one.outcome() or one.run(renamed, identity, batch, proven, told))
        found = tuple(one.found(detector.name) for one in kept)
        if folder is None:
            found = tuple(replace(one, source=None) for one in found)
    all_notices = (notice for outcome in outcomes for notice in outcome.notices)
    return DetectorRun(
        found,
        tuple(failure for outcome in outcomes for failure in outcome.failed),
        (*notices, *summed_notices(all_notices, "set")),
    )


def _kept(place: Path, pictures: PictureSet, detector: Detector, identity: str) -> _Kept:
    made_by = {"boxlens": VERSION, "detector": detector.name, "identity": identity}
    made_from = {"schema": SCHEMA, **made_by, **pictures.made_from()}
    slug = pictures.step.slug
    return _Kept(pictures, place / f"{slug}.json", Origin(place / f"{slug}.origin.json", made_from))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a results file does not tell."""

    # Pictures the detector has seen.
    n_done: int
    failed: tuple[Failure, ...]
    notices: tuple[Notice, ...]

    @classmethod
    def of(cls, result: RunResult, step: Step) -> _Outcome:
        failed = tuple(
            Failure(f"{step.slug}/{one.file}", f"{result.detector}: {one.reason}")
            for one in result.failed
        )
        n_done = result.n_images - len(failed)
        return cls(n_done, failed, result.notices)

    @classmethod
    def of_json(cls, document: dict[str, Any]) -> _Outcome:
        return cls(
            document["n_done"],
            tuple(Failure(*one) for one in document["failed"]),
            tuple(Notice(*one) for one in document["notices"]),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "n_done": self.n_done,
            "failed": [[one.file, one.reason] for one in self.failed],
            "notices": [[one.code, one.count, one.message] for one in self.notices],
        }


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a folder keeps of one set: results, their journal while they grow, their origin."""

    pictures: PictureSet
    results: Path
    origin: Origin

    def clear(self) -> None:
        """The origin goes last: whatever else is left is still known for what it is."""
        for path in (self.results, journal_path(self.results), self.origin.path):
            path.unlink(missing_ok=True)

    def outcome(self) -> _Outcome | None:
        """Of a set that is done."""
        done = self.origin.outcome()
        return _Outcome.of_json(done) if done is not None and self.results.exists() else None

    def run(
        self, detector: Detector, identity: str, batch: int, proven: bool, progress: Progress | None
    ) -> _Outcome:
        step = self.pictures.step
        self.origin.begin()
        result = detect_pictures(
            detector,
            self.pictures,
            self.results,
            identity=identity,
            batch=batch,
            readers=READERS,
            proven=proven,
            before_tidying=lambda result: self.origin.finish(_Outcome.of(result, step).to_json()),
            progress=progress,
        )
        return _Outcome.of(result, step)

    def found(self, name: str) -> Detections:
        """That a file is empty says its number of detections, too."""
        table = read_detections(
            self.results, self.pictures.dataset, format="coco", name=name, strict=True
        )
        told = tuple(one for one in table.notices if one.code != "no_detections")
        return replace(table, notices=told)


def _words(step: Step) -> str:
    return f"{step.name} {step.level:g}" if step.graded else step.name


def _told(progress: Progress | None, what: str) -> Progress | None:
    if progress is None:
        return None
    return lambda _, done, total: progress(what, done, total)
