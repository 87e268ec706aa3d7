"""Open Images detections: one line per box, or the challenge's one line per image."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.formats.border import RawDetections, detections_from
from boxlens.formats.csv_tables import CsvTable, read_csv
from boxlens.formats.exact_sides import CORNERS as CORNER_SPACE
from boxlens.formats.exact_sides import with_exact
from boxlens.formats.files import existing_file, written_whole
from boxlens.formats.open_images.space import (
    id_texts,
    refuse_pixels_without_size,
    relative_corners,
    scale_px,
)
from boxlens.formats.open_images.table import CORNERS, SIDES, relative_boxes
from boxlens.formats.places import Place
from boxlens.formats.sniff_content import csv_header, file_head
from boxlens.formats.text_ids import rows_of_text

_SCORES = ("Score", "Conf", "Confidence")
_FIELDS = ("LabelName", "Score", *SIDES)
_REMEDY = f"A box is: {' '.join(_FIELDS)}"


def read_detections(
    path: Path,
    dataset: Dataset,
    *,
    name: str | None = None,
    strict: bool = False,
) -> Detections:
    """Either form of file; labels and images are identified by the text of their ids."""
    existing_file(path)
    columns = {column.lower() for column in csv_header(file_head(path))}
    table = _submission(path) if "predictionstring" in columns else _plain(path, columns)
    image_row = rows_of_text(table["ImageID"], id_texts(dataset.images.id))
    class_row = rows_of_text(table["LabelName"], id_texts(dataset.classes.id))
    box = relative_boxes(table, detected=True)

    def describe(row: int) -> str:
        return f"{table.line(row)} (image {table['ImageID'][row]}, class {table['LabelName'][row]})"

    width, height = scale_px(dataset)
    known = image_row >= 0
    refuse_pixels_without_size(box[known], image_row[known], dataset, path)
    rows = np.where(known, image_row, len(width))
    scale = np.append(width, 1.0)[rows], np.append(height, 1.0)[rows]
    box = box * np.stack([*scale, *scale], axis=1)
    box = with_exact(box, table.exact(SIDES), CORNER_SPACE, scale)
    score = table.finite("Score")
    raw = RawDetections(image_row, class_row, box, score, describe)
    return detections_from(
        raw,
        dataset,
        name=name,
        path=path,
        format_name="openimages",
        strict=strict,
    )


def write_detections(detections: Detections, dataset: Dataset, path: Path) -> None:
    """One line per box: ImageID, LabelName, Score, XMin, XMax, YMin, YMax."""
    import polars as pl

    image_id = np.array(id_texts(dataset.images.id), dtype=object)
    label = np.array(id_texts(dataset.classes.id), dtype=object)
    corners = relative_corners(
        detections.box, detections.image_row, dataset, path, lambda row: f"detection {row}"
    )
    frame = pl.DataFrame(
        {
            "ImageID": pl.Series(image_id[detections.image_row].tolist(), dtype=pl.String),
            "LabelName": pl.Series(label[detections.class_row].tolist(), dtype=pl.String),
            "Score": detections.score,
            **corners,
        }
    )
    with written_whole(path) as temporary:
        frame.write_csv(temporary)


def _plain(path: Path, columns: set[str]) -> CsvTable:
    score = next((name for name in _SCORES if name.lower() in columns), None)
    if score is None:
        raise Place(path, "line 1").error(
            "missing column Score", "Call the column of scores Score, Conf or Confidence"
        )
    table = read_csv(path, text=("ImageID", "LabelName"), numbers=(score, *CORNERS), exact=CORNERS)
    return CsvTable(path, table.frame.rename({score: "Score"}))


def _submission(path: Path) -> CsvTable:
    """ImageId, PredictionString with "label score xmin ymin xmax ymax" again and again."""
    import polars as pl

    lines = read_csv(
        path,
        text=("ImageID", "PredictionString"),
        may_be_empty=("PredictionString",),
    )
    words = lines["PredictionString"].fill_null("").str.extract_all(r"\S+")
    counts = words.list.len().to_numpy()
    lines.refuse(
        counts % len(_FIELDS) > 0,
        lambda row: f"{counts[row]} words in PredictionString, not a multiple of {len(_FIELDS)}",
        _REMEDY,
    )
    cells = words.explode().drop_nulls()
    line = np.repeat(np.arange(len(lines)), counts // len(_FIELDS))
    frame = pl.DataFrame(
        {
            "line": line + 2,
            "ImageID": lines["ImageID"].gather(line),
            **{name: cells.gather_every(len(_FIELDS), at) for at, name in enumerate(_FIELDS)},
        }
    )
    table = CsvTable(path, frame)
    for name in _FIELDS[1:]:
        table = _with_number(table, name)
    return table


def _with_number(table: CsvTable, name: str) -> CsvTable:
    cells, read = table[name], table.with_number(name, exact=name in CORNERS)
    if read[name].null_count():
        wrong = read[name].is_null().to_numpy()
        table.refuse(wrong, lambda row: f"{cells[row]!r} is not a number", _REMEDY, cell=name)
    return read
