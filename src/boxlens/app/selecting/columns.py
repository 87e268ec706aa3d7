"""The column of a run that a term or an order reads, whichever table it stands in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boxlens.app.selecting.terms import QueryError, is_of_objects, shown

if TYPE_CHECKING:
    from boxlens.app.opening.run import Of, Run
    from boxlens.app.opening.tables import Codes
    from boxlens.data.columns import Floats, Rows


@dataclass(frozen=True, slots=True)
class Numbers:
    """One number per row, NaN where it has none; read through `rows` where another table has it."""

    values: Floats
    # -1 is the last of the values.
    rows: Rows | None = None

    def at(self, place: slice | Rows = slice(None)) -> Floats:
        """The numbers of some rows, or of all."""
        if self.rows is None:
            return self.values[place]
        found: Floats = self.values[self.rows[place]]
        return found


def numbers_of(run: Run, of: Of, name: str) -> Floats:
    """The numbers of all rows."""
    return column_of(run, of, name).at()


def column_of(run: Run, of: Of, name: str, detector: int = 0) -> Numbers:
    """What a range or an order looks at; images have their numbers from one detector."""
    found = _of_images(run, name, detector) if of == "images" else _of_boxes(run, of, name)
    if found is None:
        raise QueryError(f"{of} of this run have no {shown(name)}")
    return found


def codes_of(run: Run, of: Of, term: str) -> Codes | None:
    """The texts of a term; None where this run has none."""
    if is_of_objects(term):
        return run.objects.codes.get(column_name(term))
    return run.boxes(of).codes.get(term)


def column_name(term: str) -> str:
    """The column of objects behind attribute.<name> and characteristic.<name>."""
    return term.replace(".", "_", 1)


def pixel_areas(run: Run, of: Of) -> Floats:
    """Areas in pixels; NaN where boxes are fractions of an image of unknown size."""
    table = run.boxes(of)
    areas = table.numbers["area"]
    if not run.relative:
        return areas
    pixels = run.images.width * run.images.height
    if np.isnan(pixels).all():
        raise QueryError("sizes are unknown: boxes are fractions of images of unknown size")
    return areas * pixels[table.image_row]


def _of_images(run: Run, name: str, detector: int) -> Numbers | None:
    if name == "image":
        return Numbers(np.arange(len(run.images), dtype=np.float64))
    column = name if name == "disagreement" else f"{name}_{run.detector_names[detector]}"
    values = run.images.columns.get(column)
    return None if values is None else Numbers(values)


def _of_boxes(run: Run, of: Of, name: str) -> Numbers | None:
    table = run.boxes(of)
    if name in {"image", "disagreement"}:
        of_images = _of_images(run, name, 0)
        return None if of_images is None else Numbers(of_images.values, table.image_row)
    if name == "score":
        return Numbers(table.score)
    from_object = of == "detections" and (is_of_objects(name) or name == "unexpected")
    values = (run.objects if from_object else table).numbers.get(column_name(name))
    if values is None:
        return None
    return Numbers(np.append(values, np.nan), table.partner) if from_object else Numbers(values)
