"""What a verb leaves behind besides the files of its study, where it has more to give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Protocol

from boxlens.data import Dataset, Detections
from boxlens.images import ImageFiles
from boxlens.progress import Progress
from boxlens.report.pictures.gallery import Gallery
from boxlens.report.study import Study, Table
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.diagnosis import DiagnosisResult

# Where pictures are; None: they were not given.
Images = ImageFiles | str | PathLike[str] | None


class StudyPictures(Protocol):
    """Pictures, as the study of their verb takes them."""

    @property
    def gallery(self) -> Gallery | None:
        """Those of contact sheets."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the app walks through: every image, detection and object."""

    dataset: Dataset
    # One per detector; empty: its detections are judged at this overlap.
    diagnoses: Sequence[DiagnosisResult] = ()
    detections: Sequence[Detections] = ()
    iou: float = 0.5
    comparison: ComparisonResult | None = None


@dataclass(frozen=True, slots=True)
class Extras:
    """A verb has them in a function `extras` beside `study`; its keywords are those of `save`."""

    run: Run | None = None
    # From the pictures given and the megabytes that a page has for them.
    pictures: Callable[[Images, float, Progress | None], StudyPictures | None] | None = None
    # What is typeset, one after the other, instead of the study; a table stands before the others.
    typeset: Callable[[], Sequence[Study | Table[Any]]] = tuple
    # Data sets by the names of their files; None: there is none to write.
    datasets: Mapping[str, Dataset | None] = field(default_factory=dict)
    # These with COCO's own fields alone.
    strict_coco: bool = False
