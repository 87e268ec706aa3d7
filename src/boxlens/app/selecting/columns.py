"""What a run has under a term: its column, whichever table it stands in, and its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens.app.opening.run import Of, Run
from boxlens.app.opening.tables import Codes
from boxlens.app.selecting.terms import (
    BACKGROUND,
    OFS,
    ONCE_TERMS,
    RANGE_TERMS,
    SCHEMES,
    SIZES,
    VALUE_TERMS,
    QueryError,
    Range,
    is_of_objects,
    known_value,
    read_range,
    shown,
    term_is_of,
)
from boxlens.data.columns import Floats, Rows

_FLAGS = {"1": "1", "true": "1", "yes": "1", "0": "0", "false": "0", "no": "0"}


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


def read_term(run: Run, of: Of, term: str, text: str) -> str | Range | None:
    """One value of a term, checked; None where it leaves everything open."""
    _check_term(of, term)
    if term in RANGE_TERMS:
        return _range(run, of, term, text)
    kind = _kind(run, term) if is_of_objects(term) else "text"
    if kind == "number":
        return _range(run, of, term, text)
    if kind == "flag" or term == "undetected":
        # Raises where this run has no such column.
        column_of(run, of, term)
        return _FLAGS[known_value(term, text.lower(), tuple(_FLAGS))]
    if term == "find":
        return text
    return known_value(term, text, values_of(run, of, term))


def values_of(run: Run, of: Of, term: str) -> tuple[str, ...]:
    """The texts that a term may have, in their own order."""
    if term == "size":
        return tuple(SIZES)
    if term == "class":
        return run.class_names
    codes = codes_of(run, of, term)
    if codes is None:
        raise QueryError(f"{of} of this run have no {shown(term)}")
    listed: tuple[str, ...] = ()
    if term in SCHEMES:
        listed = tuple(run.about["schemes"].get(term, {}).get(of, ()))
    elif term in {"true_class", "taken_for"}:
        listed = (*run.class_names, BACKGROUND)
    elif term == "object_class":
        listed = run.class_names
    return tuple(dict.fromkeys((*listed, *codes.values)))


def _check_term(of: Of, term: str) -> None:
    """The term is one, and rows of this kind have it."""
    if not is_of_objects(term):
        known_value("term", term, (*VALUE_TERMS, *RANGE_TERMS, *ONCE_TERMS, "detector"))
    if not term_is_of(term, of):
        hint = f"Use of={' or of='.join(one for one in OFS if term_is_of(term, one))}"
        if of == "images":
            hint = f"Images can be filtered by find and disagreement. {hint}"
        raise QueryError(f"{shown(term)} does not apply to {of}. {hint}")


def _kind(run: Run, term: str) -> str:
    """text, number or flag."""
    what, _, name = term.partition(".")
    described = run.about[f"{what}s"]
    kinds = {one["name"]: str(one.get("kind", "text")) for one in described}
    known_value(what, name, tuple(kinds))
    return kinds[name]


def _range(run: Run, of: Of, term: str, text: str) -> Range | None:
    """A range of numbers that rows of this kind have; it may hold none of them."""
    # Raises where this run has no such numbers; images have a disagreement without boxes, too.
    column_of(run, "images" if term == "disagreement" else of, term)
    return read_range(term, text)
