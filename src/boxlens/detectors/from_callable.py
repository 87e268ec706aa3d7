"""Any Python function as a detector: one picture in, boxes, scores and classes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxlens.data import Classes, Detections
from boxlens.data.columns import Floats, Rows
from boxlens.detectors.batches import Findings, joined_findings
from boxlens.detectors.named_objects import asked, classes_from, described, find_named, own_words
from boxlens.detectors.protocols import Detector
from boxlens.errors import InputError
from boxlens.images import Pixels

# Boxes n x 4 as x, y, w, h in pixels; n scores; n class names, or places in `classes` from 0.
_ANSWER = "a tuple (boxes, scores, classes)"


@dataclass(frozen=True, slots=True)
class CallableDetector:
    """Calls a function with one picture; with a list of them, and for a list, if `batched`."""

    function: Callable[..., Any]
    classes: Classes
    name: str
    batched: bool = False

    def detect(self, images: Sequence[Pixels]) -> Detections:
        answers = asked(self.function, images, self.name, "pictures", batched=self.batched)
        parts = [self._checked(answer, row) for row, answer in enumerate(answers)]
        return joined_findings(self.name, parts)

    def _checked(self, answer: Any, row: int) -> Findings:
        if not isinstance(answer, (tuple, list)) or len(answer) != 3:
            raise self._error(row, f"expected {_ANSWER}, got {described(answer)}")
        box, score = self._floats(answer[0], "boxes", row), self._floats(answer[1], "scores", row)
        if box.size == 0:
            box = box.reshape(0, 4)
        if box.ndim != 2 or box.shape[1] != 4:
            raise self._error(row, f"boxes have shape {box.shape}, expected n x 4 (x, y, w, h)")
        if score.shape != (len(box),):
            raise self._error(row, f"scores have shape {score.shape} for {len(box)} boxes")
        if not (np.isfinite(box).all() and np.isfinite(score).all()):
            raise self._error(row, "a box or score is not a finite number")
        if len(box) and box[:, 2:].min() < 0:
            raise self._error(row, "a box has a negative width or height (boxes are x, y, w, h)")
        return Findings(self._class_rows(answer[2], len(box), row), box, score)

    def _floats(self, values: Any, what: str, row: int) -> Floats:
        try:
            return np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise self._error(row, f"{what} are not an array of numbers ({problem})") from problem

    def _class_rows(self, values: Any, n: int, row: int) -> Rows:
        """Names, or whole numbers that are places in `classes`."""
        given = np.asarray(values)
        if given.shape != (n,):
            raise self._error(row, f"classes have shape {given.shape} for {n} boxes")
        if n == 0:
            return np.empty(0, dtype=np.int32)
        if given.dtype.kind in "UO":
            row_of_name = self.classes.row_of_name()
            rows = np.array([row_of_name.get(str(name), -1) for name in given.tolist()])
        else:
            numbers = given.astype(np.float64)
            known = (numbers >= 0) & (numbers < len(self.classes)) & (numbers % 1 == 0)
            rows = np.where(known, numbers, -1)
        if rows.min() < 0:
            shown = ", ".join(self.classes.name[:5])
            unknown = given.tolist()[int(np.argmin(rows))]
            raise self._error(
                row, f"class {unknown!r} is neither a name nor an index of {shown} ..."
            )
        return rows.astype(np.int32)

    def _error(self, row: int, problem: str) -> InputError:
        return InputError(problem, path=self.name, where=f"picture {row} of the batch")


def from_function(function: Callable[..., Any], classes: Classes) -> CallableDetector:
    """Its classes are an attribute of it, or those given; `batched` makes it take lists."""
    return CallableDetector(function, *own_words(function, classes))


def load_callable(text: str) -> Detector:
    """The function, or the ready detector, that "package.module:name" names.

    The current folder is searched too. Classes are an attribute `classes` of the function or its
    module; an attribute `batched` that is true makes it take and give lists.
    """
    found, given = find_named(text)
    if isinstance(found, Detector) and not isinstance(found, type):
        return found
    if not callable(found):
        raise InputError(f"a {type(found).__name__}, where a function was expected", path=text)
    return CallableDetector(
        found, classes_from(given, text), text, bool(getattr(found, "batched", False))
    )
