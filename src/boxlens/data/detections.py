"""A detector's output: boxes with scores, as rows of a data set's images and classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import (
    Bools,
    Boxes,
    Floats,
    Offsets,
    Rows,
    box_column,
    check_boxes,
    check_class_rows,
    check_table,
    frozen,
    offsets_of,
    row_column,
    stable_order,
    take,
    value_column,
)
from boxlens.data.dataset import Dataset
from boxlens.data.source import Notice, Source
from boxlens.errors import ParameterError
from boxlens.wording import counted


@dataclass(frozen=True, slots=True)
class Detections:
    """One row per detection, grouped by image, file order within an image.

    >>> detections = read_detections(dt, read_dataset(gt))
    >>> len(detections), len(detections.where(detections.score >= 0.5))
    (7176, 499)
    """

    name: str
    """Name of the detector: as its file is called, unless another is given."""
    image_row: Rows
    """The row of each detection's image in `Dataset.images`: a position, not an id."""
    class_row: Rows
    """The row of each detection's class in `Dataset.classes`: a position, not an id."""
    box: Boxes
    """x, y, width, height from the top left corner, in px; fractions if `Dataset.relative`."""
    score: Floats
    """How sure the detector is, higher is surer; any finite number."""
    offsets: Offsets
    """Detections of image row i are rows offsets[i] to offsets[i + 1], the latter excluded."""
    source: Source | None = None
    """The file it was read from; None: made in memory."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""
    known_classes: Rows | None = None
    """Rows of the classes the detector knows, ascending; None: its file does not say."""

    @classmethod
    def of(
        cls,
        name: str,
        n_images: int,
        *,
        image_row: npt.ArrayLike,
        class_row: npt.ArrayLike,
        box: npt.ArrayLike,
        score: npt.ArrayLike,
        source: Source | None = None,
        notices: tuple[Notice, ...] = (),
        known_classes: npt.ArrayLike | None = None,
        checked: bool = False,
    ) -> Detections:
        """Groups detections by image. Rows of -1 (unknown image or class) are not allowed here.

        A class with a detection is known, whether or not `known_classes` names it. A reader that
        has checked boxes and scores says so.
        """
        rows = row_column(image_row, "image_row")
        classes = row_column(class_row, "class_row")
        table = cls(
            name=name,
            image_row=rows,
            class_row=classes,
            box=box_column(box),
            score=value_column(score, np.float64, "score"),
            offsets=frozen([], np.int64),
            source=source,
            notices=notices,
            known_classes=None if known_classes is None else _known(known_classes, classes),
        )
        check_table(
            {"class_row": table.class_row, "box": table.box, "score": table.score}, rows, n_images
        )
        if not checked:
            check_boxes(table.box)
            if len(rows) and not np.isfinite(table.score).all():
                row = int(np.argmin(np.isfinite(table.score)))
                raise ParameterError(f"score {table.score[row]} of row {row} is not finite")
        order = stable_order(rows, n_images)
        if order is not None:
            table = table._reordered(order)
        return replace(table, offsets=offsets_of(table.image_row, n_images))

    def __len__(self) -> int:
        return len(self.image_row)

    @property
    def n_images(self) -> int:
        """How many images the data set has, with detections or without."""
        return len(self.offsets) - 1

    def _reordered(self, rows: npt.NDArray[np.integer]) -> Detections:
        return replace(
            self,
            image_row=take(self.image_row, rows),
            class_row=take(self.class_row, rows),
            box=take(self.box, rows),
            score=take(self.score, rows),
        )

    def where(self, keep: npt.ArrayLike | Callable[[Detections], npt.ArrayLike]) -> Detections:
        """The detections of a mask or of a predicate; all images stay."""
        mask: Bools = np.asarray(keep(self) if callable(keep) else keep, dtype=np.bool_)
        if mask.shape != (len(self),):
            raise ParameterError(f"expected a mask of {len(self)} detections, got {mask.shape}")
        table = self._reordered(np.flatnonzero(mask))
        return replace(table, offsets=offsets_of(table.image_row, self.n_images))

    def renumbered(self, image_row_of: Rows, class_row_of: Rows, n_images: int) -> Detections:
        """Detections whose image and class stay (new row >= 0), with their new rows."""
        image_row = image_row_of[self.image_row]
        class_row = class_row_of[self.class_row]
        keep = (image_row >= 0) & (class_row >= 0)
        return Detections.of(
            self.name,
            n_images,
            image_row=image_row[keep],
            class_row=class_row[keep],
            box=self.box[keep],
            score=self.score[keep],
            source=self.source,
            notices=self.notices,
            known_classes=self._known_as(class_row_of),
        )

    def _known_as(self, class_row_of: Rows) -> Rows | None:
        if self.known_classes is None:
            return None
        rows: Rows = class_row_of[self.known_classes]
        return rows[rows >= 0]


def _known(known_classes: npt.ArrayLike, class_row: Rows) -> Rows:
    rows = row_column(known_classes, "known_classes")
    if len(rows) and rows.min() < 0:
        raise ParameterError(
            f"column known_classes: class rows must be 0 or more, got {rows.min()}"
        )
    return frozen(np.unique(np.concatenate([rows, class_row])), np.int32)


def check_tables(dataset: Dataset, detections: Detections) -> None:
    """Detections must refer to the images and classes of the data set."""
    if detections.n_images != len(dataset.images):
        raise ParameterError(
            f"detections {detections.name!r} have rows for "
            f"{counted(detections.n_images, 'image')}, the data set has {len(dataset.images)}: "
            "read them with this data set",
        )
    n_classes = len(dataset.classes)
    check_class_rows(detections.class_row, "class_row", detections.name, n_classes)
    if detections.known_classes is not None:
        check_class_rows(detections.known_classes, "known_classes", detections.name, n_classes)
