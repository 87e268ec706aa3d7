"""Windows in MATLAB's files, as the public benchmark of proposals keeps them.

One file per image, named after it: `boxes` (x1, y1, x2, y2; pixels from 1, both ends included) and
`scores`, perhaps as cells, one for each number of windows that a method was run for
(`num_candidates`); or one array of five columns. Or one file for all images, as R-CNN takes it:
the cells `images` and `boxes` (y1, x1, y2, x2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data import Dataset, Notice, file_notices
from boxlens.data.boxes import xywh_from_inclusive_corners
from boxlens.data.columns import Boxes, Floats
from boxlens.data.image_names import rows_of_names
from boxlens.errors import InputError
from boxlens.formats.files import DATA_BYTES, read_bytes
from boxlens.formats.mat_variables import MatError, mat_variables
from boxlens.formats.places import Place
from boxlens.formats.window_layouts import RawWindows
from boxlens.wording import counted

Array = npt.NDArray[Any]

MAT_HEADS = (b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file", b"\x89HDF")
_HDF5 = MAT_HEADS[1:]
_REMEDY = (
    "A MAT file of an image holds boxes (n x 4: x1, y1, x2, y2) and scores (n x 1), or one array "
    "n x 5; one of all images holds the cells images and boxes (n x 4: y1, x1, y2, x2)"
)


class _Found(NamedTuple):
    """The windows of one image, still as corners; scores are None where there are none."""

    image: str
    where: str
    corners: Floats
    score: Floats | None


def from_mat_folder(folder: Path, dataset: Dataset, limit: int | None) -> RawWindows:
    """One file per image, in any folder below; its stem is the image."""
    files = sorted(folder.rglob("*.mat"))
    if not files:
        remedy = "Name a file of windows, or a folder with a .mat file for each image"
        raise InputError("no .mat files in this folder", path=folder, remedy=remedy)
    by_stem: dict[str, Path] = {}
    for file in files:
        other = by_stem.setdefault(file.stem, file)
        if other is not file:
            problem = f"two files for the image '{file.stem}', also {other}"
            raise InputError(problem, path=file, remedy="Keep one of them")
    found = [_of_image(_variables(file), file, limit) for file in files]
    return replace(_joined(found, folder, dataset), files=tuple(files))


def from_mat_file(path: Path, dataset: Dataset, limit: int | None) -> RawWindows:
    """All images in one file, or a single one."""
    variables = _variables(path)
    if "images" in variables:
        return _joined(_of_all_images(variables, path), path, dataset)
    return _joined([_of_image(variables, path, limit)], path, dataset)


def holds_runs(path: Path) -> bool:
    """Was the method run for several numbers of windows? Told by the first file."""
    file = next(iter(sorted(path.rglob("*.mat"))), None) if path.is_dir() else path
    if file is None:
        return False
    variables = _variables(file)
    boxes = variables.get("boxes")
    return (
        boxes is not None
        and "images" not in variables
        and boxes.dtype == object
        and (boxes.size > 1)
    )


def _variables(path: Path) -> dict[str, Array]:
    bytes_of_file = read_bytes(path, DATA_BYTES)
    if bytes_of_file.startswith(_HDF5):
        remedy = "Save it in MATLAB with '-v7', or convert it to CSV"
        raise InputError("MAT version 7.3 is not supported", path=path, remedy=remedy)
    try:
        return mat_variables(bytes_of_file)
    except MatError as problem:
        raise InputError(
            f"not readable as a MAT file ({problem})",
            path=path,
            remedy="Copy it again, or save it in MATLAB with '-v7'",
        ) from problem


def _of_image(variables: dict[str, Array], path: Path, limit: int | None) -> _Found:
    name = _holding_boxes(variables, path)
    boxes, scores = variables[name], variables.get("scores")
    where = name
    if boxes.dtype == object:
        run = _nearest_run(boxes, variables.get("num_candidates"), limit, path)
        where = f"{name}{{{run + 1}}}"
        boxes = boxes.ravel()[run]
        if scores is not None and scores.dtype == object:
            if scores.size != variables[name].size:
                problem = f"{variables[name].size} runs, but {scores.size} cells of scores"
                raise Place(path, "scores").error(problem, "Give scores for every run")
            scores = scores.ravel()[run]
    table = _table(boxes, Place(path, where), widths=(4, 5))
    corners, score = table[:, :4], table[:, 4] if table.shape[1] == 5 else None
    if score is None and scores is not None and scores.size:
        score = _scores(scores, len(corners), path)
    return _Found(path.stem, str(path), corners, score)


def _holding_boxes(variables: dict[str, Array], path: Path) -> str:
    if "boxes" in variables:
        return "boxes"
    tables = [name for name, one in variables.items() if one.ndim == 2 and one.shape[1] in (4, 5)]
    if len(tables) == 1:
        return tables[0]
    shown = ", ".join(f"{name} {_shape(one)}" for name, one in variables.items()) or "nothing"
    raise InputError(f"no variable 'boxes': found {shown}", path=path, remedy=_REMEDY)


def _nearest_run(boxes: Array, numbers: Array | None, limit: int | None, path: Path) -> int:
    """As the benchmark chooses: the run for the number nearest to the one asked for."""
    if boxes.size == 0:
        raise Place(path, "boxes").error("no runs in its cells", _REMEDY)
    if boxes.size == 1:
        return 0
    if numbers is None or numbers.size != boxes.size or not np.issubdtype(numbers.dtype, np.number):
        found = "none" if numbers is None else _shape(numbers)
        raise Place(path, "boxes").error(
            f"{boxes.size} runs, but not as many numbers in num_candidates (found {found})",
            "Give num_candidates, the number of windows that each run was for",
        )
    asked = numbers.ravel().astype(np.float64)
    return int(np.argmax(asked) if limit is None else np.argmin(np.abs(asked - limit)))


def _of_all_images(variables: dict[str, Array], path: Path) -> list[_Found]:
    images, boxes = variables["images"].ravel(), variables.get("boxes", np.zeros(0)).ravel()
    if images.dtype != object or boxes.dtype != object or len(images) != len(boxes):
        shown = ", ".join(f"{name} {_shape(one)}" for name, one in variables.items())
        problem = f"images and boxes must be cells, one for each image: found {shown}"
        raise InputError(problem, path=path, remedy=_REMEDY)
    found = []
    for number, (image, cell) in enumerate(zip(images, boxes, strict=True), start=1):
        where = f"boxes{{{number}}}"
        # Rows before columns in this layout.
        corners = _table(cell, Place(path, where), widths=(4,))[:, [1, 0, 3, 2]]
        name = str(np.asarray(image).ravel()[0]) if np.size(image) else ""
        found.append(_Found(name, where, corners, None))
    return found


def _table(values: Any, place: Place, *, widths: tuple[int, ...]) -> Floats:
    """One row per window; an empty array of any shape has none."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros((0, 4))
    numbers = np.issubdtype(array.dtype, np.number) and not np.iscomplexobj(array)
    if not numbers or array.ndim != 2 or array.shape[1] not in widths:
        expected = " or ".join(f"n x {width}" for width in widths)
        raise place.error(f"expected numbers {expected}, found {_shape(array)}", _REMEDY)
    return array.astype(np.float64)


def _scores(values: Array, n: int, path: Path) -> Floats:
    if values.size != n or not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        problem = f"expected numbers {n} x 1, as many as boxes, found {_shape(values)}"
        raise Place(path, "scores").error(problem, _REMEDY)
    return values.ravel().astype(np.float64)


def _shape(array: Array) -> str:
    kind = "cell" if array.dtype == object else str(array.dtype)
    return f"{' x '.join(map(str, array.shape))} {kind}"


def _joined(found: Sequence[_Found], path: Path, dataset: Dataset) -> RawWindows:
    """Windows of all images; one without any is kept as a box of zeros, which says so."""
    scored = [one for one in found if one.score is not None]
    lacking = next((one for one in found if one.score is None and len(one.corners)), None)
    if scored and lacking is not None:
        problem = f"no scores, while {scored[0].where} has some"
        raise Place(path, lacking.where).error(problem, "Give scores in all files or in none")
    columns = [_columns(one) for one in found]
    number = np.repeat(np.arange(len(found)), [len(score) for _, score in columns])
    row_of = rows_of_names([one.image for one in found], dataset.images)
    box = np.concatenate([np.zeros((0, 4)), *(box for box, _ in columns)])
    score = np.concatenate([np.zeros(0), *(score for _, score in columns)])

    def describe(row: int) -> str:
        one = found[number[row]]
        window = row - int(np.searchsorted(number, number[row])) + 1
        return f"{one.where}, window {window} (image {one.image})"

    backwards = (box[:, 2:] < 0).any(axis=1)
    box[:, 2:] = box[:, 2:].clip(0)
    notices: tuple[Notice, ...] = ()
    if backwards.any():
        count, first = int(backwards.sum()), describe(int(np.argmax(backwards)))
        words = f"{counted(count, 'window')} that end before they start (first: {first})"
        notices = file_notices(path, ("backwards", count, words))
    image_row = np.array(row_of, dtype=np.int32)[number]
    return RawWindows("mat", image_row, box, score if scored else None, describe, notices)


def _columns(found: _Found) -> tuple[Boxes, Floats]:
    if len(found.corners) == 0:
        return np.zeros((1, 4)), np.zeros(1)
    boxes = xywh_from_inclusive_corners(found.corners)
    return boxes, np.zeros(len(boxes)) if found.score is None else found.score
