"""Runs a detector over pictures into one results file; a killed run resumes."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Notice, counted_notice
from boxlens.data.classes import ascending_unique
from boxlens.detectors.batches import NOTHING, Findings, detect_batch, joined_findings
from boxlens.detectors.journal import Journal, Record, open_journal, summed_notices, write_results
from boxlens.detectors.pictures import Pictures, reading
from boxlens.detectors.protocols import Detector
from boxlens.detectors.run_result import Failure, NothingDetectedError, RunResult
from boxlens.errors import (
    BoxlensError,
    InputError,
    MissingExtraError,
    ParameterError,
    WorkerEndedError,
)
from boxlens.images import ImageError, Picture, Pixels
from boxlens.limits import AT_MOST, BATCH
from boxlens.progress import Progress
from boxlens.version import VERSION
from boxlens.wording import counted

# A detector that fails on so many pictures before it ever works is itself at fault.
PATIENCE = 8
MISFIT = "another_size"


def detect_pictures(
    detector: Detector,
    pictures: Pictures,
    output: str | PathLike[str],
    *,
    identity: str,
    batch: int = 8,
    min_score: float | None = None,
    max_per_image: int | None = None,
    restart: bool = False,
    expected: Mapping[int | str, tuple[float, float]] | None = None,
    readers: int = 1,
    proven: bool = False,
    before_tidying: Callable[[RunResult], None] | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Writes COCO results. `identity` names model and settings: results of others are not mixed in.

    Of each image the `max_per_image` best-scored detections of at least `min_score` are kept; all
    that the detector gives where neither is said. `expected` are the sizes (width, height) of
    images by id: pictures of another size are counted. So many `readers` (threads) read the
    pictures of a batch. A detector that is `proven` to work may fail on every picture.
    `before_tidying` keeps what is in the result alone: it is called again where a kill came between
    it and the end.
    """
    _check_settings(batch, min_score, max_per_image)
    target = checked_target(output)
    header = {
        "boxlens": VERSION,
        "detector": detector.name,
        "identity": identity,
        "min_score": min_score,
        "max_per_image": max_per_image,
        "classes": list(zip(detector.classes.id.tolist(), detector.classes.name, strict=True)),
    }
    with open_journal(journal_path(target), header, restart=restart) as journal:
        if journal.new and target.exists() and not restart:
            raise InputError("already exists", path=output, remedy="Use --restart to run again")
        run = _Run(detector, pictures, journal, min_score, max_per_image, expected or {})
        run.works |= proven
        waiting = run.waiting()
        n_resumed = len(pictures) - len(waiting)
        with reading(pictures, readers) as read:
            for begin in range(0, len(waiting), batch):
                if progress is not None:
                    progress("detecting", n_resumed + begin, len(pictures))
                rows = waiting[begin : begin + batch]
                journal.add(run.done(rows, read(rows)))
        result = run.finished(target, n_resumed)
        if before_tidying is not None:
            before_tidying(result)
        journal.remove()
    return result


def journal_path(output: str | PathLike[str]) -> Path:
    """Where an unfinished run keeps what it has."""
    return Path(f"{os.fspath(output)}.partial")


def _check_settings(batch: int, min_score: float | None, max_per_image: int | None) -> None:
    BATCH.check(batch, "batch (--batch)")
    if min_score is not None and not math.isfinite(min_score):
        raise ParameterError(f"min_score must be a finite number, got {min_score}")
    if max_per_image is not None:
        AT_MOST.check(max_per_image, "max_per_image (--max-per-image)")


def checked_target(output: str | PathLike[str]) -> Path:
    """A file that results can be written to."""
    target = Path(output)
    if not target.name.removesuffix(".gz").endswith(".json"):
        raise InputError(
            "results can only be written as COCO JSON",
            path=output,
            remedy="Name a file that ends in .json; boxlens convert turns it into other formats",
        )
    if target.is_dir():
        raise InputError("expected a file to write, found a folder", path=output)
    return target


class _Run:
    """One run: which images wait, how a batch is done, how the results are written."""

    def __init__(
        self,
        detector: Detector,
        pictures: Pictures,
        journal: Journal,
        min_score: float | None,
        max_per_image: int | None,
        expected: Mapping[int | str, tuple[float, float]],
    ) -> None:
        self.detector = detector
        self.expected = expected
        self.pictures = pictures
        self.order: list[int] = ascending_unique(pictures.ids, "image").tolist()
        self.keys: list[int | str] = pictures.ids.tolist()
        self.sizes = [pictures.size_bytes(row) for row in range(len(pictures))]
        self.journal = journal
        self.min_score = min_score
        self.max_per_image = max_per_image
        # Of the batch in hand.
        self.notices: list[Notice] = []
        self.works = any(record.found is not None for record in journal.records.values())
        # Failures of a detector that has not worked yet: held back, so that it may be mended.
        self.doubtful: list[tuple[Record, Exception]] = []

    def waiting(self) -> list[int]:
        """Rows without a record; a file of another name or size is another picture."""
        return [row for row in range(len(self.pictures)) if self._record(row) is None]

    def _record(self, row: int) -> Record | None:
        record = self.journal.records.get(self.keys[row])
        if record is None:
            return None
        same = (record.file, record.size_bytes) == (self.pictures.names[row], self.sizes[row])
        return record if same else None

    def done(self, rows: Sequence[int], read: Iterable[Picture | ImageError]) -> list[Record]:
        """A batch: pictures that cannot be read, or that the detector fails on, are recorded."""
        records: list[Record] = []
        pictures: dict[int, Picture] = {}
        for row, picture in zip(rows, read, strict=True):
            if isinstance(picture, ImageError):
                records.append(self._new_record(row, error=picture.problem))
            else:
                pictures[row] = picture
        answers = self._answers([picture.pixels for picture in pictures.values()])
        for (row, picture), answer in zip(pictures.items(), answers, strict=True):
            if isinstance(answer, Findings):
                self.works = True
                changes = (*picture.changes, *self._misfit(row, picture))
                notices = tuple(self.notices)
                self.notices.clear()
                records.append(
                    self._new_record(row, found=answer, changes=changes, notices=notices)
                )
            else:
                failure = self._new_record(row, error=f"the detector failed: {_text(answer)}")
                self.doubtful.append((failure, answer))
        if self.works:
            records += self._no_longer_doubtful()
        elif len(self.doubtful) >= PATIENCE:
            failure, cause = self.doubtful[0]
            raise InputError(f"{failure.error}", path=failure.file) from cause
        return records

    def _misfit(self, row: int, picture: Picture) -> Iterator[str]:
        """Boxes in a picture of another size lie in another frame than the ground truth."""
        height, width = picture.pixels.shape[:2]
        if self.expected.get(self.keys[row], (width, height)) != (width, height):
            yield MISFIT

    def _no_longer_doubtful(self) -> list[Record]:
        records = [record for record, _ in self.doubtful]
        self.doubtful.clear()
        return records

    def _new_record(self, row: int, **outcome: Any) -> Record:
        outcome.setdefault("found", None)
        return Record(self.keys[row], self.pictures.names[row], self.sizes[row], **outcome)

    def _answers(self, images: Sequence[Pixels]) -> list[Findings | Exception]:
        """What is found in each; where a batch fails, its images are tried one by one."""
        if not images:
            return []
        try:
            found = detect_batch(self.detector, images)
        except (MissingExtraError, WorkerEndedError):
            raise
        except Exception as problem:  # noqa: BLE001 - a detector may be anybody's code
            if len(images) == 1:
                return [problem]
            return [answer for image in images for answer in self._answers([image])]
        self.notices += found.notices
        parts = [slice(*found.offsets[row : row + 2].tolist()) for row in range(len(images))]
        return [
            self._kept(Findings(found.class_row[part], found.box[part], found.score[part]))
            for part in parts
        ]

    def _kept(self, found: Findings) -> Findings:
        """The best, in the order they came."""
        rows = np.arange(len(found.score))
        if self.min_score is not None:
            rows = rows[found.score >= self.min_score]
        best = np.argsort(-found.score[rows], kind="stable")[: self.max_per_image]
        kept = rows[np.sort(best)]
        return Findings(found.class_row[kept], found.box[kept], found.score[kept])

    def finished(self, target: Path, n_resumed: int) -> RunResult:
        """Writes the results, images in order of their ids."""
        self.journal.add(self._no_longer_doubtful())
        records = [self.journal.records[self.keys[row]] for row in self.order]
        failed = tuple(Failure(one.file, one.error or "") for one in records if one.found is None)
        if not self.works:
            self.journal.remove()
            raise NothingDetectedError(failed)
        detections = joined_findings(
            self.detector.name, [record.found or NOTHING for record in records]
        )
        write_results(detections, self.detector, [record.image_id for record in records], target)
        changes = Counter(change for record in records for change in record.changes)
        where = "of another size than the ground truth: boxes may be misplaced"
        misfits = counted_notice(
            MISFIT, changes.pop(MISFIT, 0), f"pictures {where}", f"picture {where}"
        )
        told = (notice for record in records for notice in record.notices)
        return RunResult(
            output=target,
            detector=self.detector.name,
            n_images=len(records),
            n_resumed=n_resumed,
            n_detections=len(detections),
            failed=failed,
            changes=dict(changes.most_common()),
            notices=(*summed_notices(told, "batch"), *misfits, *self._damage()),
        )

    def _damage(self) -> tuple[Notice, ...]:
        count = self.journal.n_damaged
        message = f"{self.journal.path}: {counted(count, 'damaged line')}, processed again"
        return (Notice("damaged_lines", count, message),) if count else ()


def _text(problem: Exception) -> str:
    if isinstance(problem, BoxlensError):
        return str(problem)
    return f"{type(problem).__name__}: {problem}"
