"""A detector that slides templates of oriented gradients over all places and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data import Classes, Detections, Notice
from boxlens.data.columns import Boxes, Floats, Rows
from boxlens.detectors.batches import LOWEST_SCORE, Findings, detect_each
from boxlens.detectors.calibration import margin_of, scores_of
from boxlens.detectors.hog import CELL_PX, N_CHANNELS, Cells, hog_cells, resized
from boxlens.images import Pixels

# Cells around an object that belong to its template: what is an outline shows from both sides.
MARGIN = 1
# Empty cells around an image, so that objects at its edge find their window.
PADDING = 3
LEVELS_AN_OCTAVE = 3
# A level of more pixels than this is left out: small objects of huge images are not looked for.
MOST_PIXELS = 4_000_000
_MOST_CANDIDATES = 2_000


@dataclass(frozen=True, slots=True)
class Templates:
    """One row per template; whole weights, so that margins are exact (see `hog`)."""

    class_row: Rows
    # Rows and columns of cells, margin included.
    shape: npt.NDArray[np.int32]
    # rows x columns x channels of each, one after the other.
    weights: npt.NDArray[np.int8]
    # What a weight of 1 stands for, and what is added.
    step: Floats
    bias: Floats
    # The sigmoid that makes a score of a margin.
    slope: Floats
    offset: Floats

    def __len__(self) -> int:
        return len(self.class_row)

    def banks(self) -> list[Bank]:
        """Templates of one shape together: their margins are one product."""
        ends = np.cumsum(self.shape.prod(axis=1) * N_CHANNELS)
        banks = []
        for rows, columns in np.unique(self.shape, axis=0).tolist():
            members = np.flatnonzero((self.shape == (rows, columns)).all(axis=1))
            size = rows * columns * N_CHANNELS
            weights = np.stack([self.weights[ends[row] - size : ends[row]] for row in members])
            strips = weights.reshape(len(members), rows, columns * N_CHANNELS).transpose(2, 1, 0)
            flat = strips.reshape(columns * N_CHANNELS, -1).astype(np.float32)
            banks.append(Bank(members, rows, columns, flat))
        return banks


class Bank(NamedTuple):
    members: npt.NDArray[np.int64]
    rows: int
    columns: int
    # One row per value of a strip of cells, one column per row of a template.
    strips: npt.NDArray[np.float32]


class Level(NamedTuple):
    """One size of an image, as cells with the padding around."""

    cells: Cells
    # Pixels of the image that a cell covers.
    cell_width: float
    cell_height: float


class View(NamedTuple):
    """An image at all sizes."""

    width_px: int
    height_px: int
    levels: list[Level]

    @classmethod
    def of(cls, pixels: Pixels, finest: float) -> View:
        """From the finest scale down to a few cells."""
        height, width = pixels.shape[:2]
        levels = []
        scale = finest
        while min(width, height) * scale >= 2 * CELL_PX:
            level_width, level_height = round(width * scale), round(height * scale)
            if level_width * level_height <= MOST_PIXELS:
                cells = hog_cells(resized(pixels, level_width, level_height))
                padded = np.pad(cells, ((PADDING, PADDING), (PADDING, PADDING), (0, 0)))
                levels.append(
                    Level(padded, CELL_PX * width / level_width, CELL_PX * height / level_height)
                )
            scale *= 2 ** (-1 / LEVELS_AN_OCTAVE)
        return cls(width, height, levels)


class Windows(NamedTuple):
    """Windows of a view: the template laid over it, where, and how well it fits."""

    template: npt.NDArray[np.int64]
    level: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]
    margin: Floats
    box: Boxes

    def select(self, rows: npt.NDArray[np.int64]) -> Windows:
        return Windows(*(column[rows] for column in self))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class WindowDetector:
    """Templates, and the finest scale of the image they look at."""

    name: str
    classes: Classes
    templates: Templates
    finest: float
    notices: tuple[Notice, ...] = ()

    def detect(self, images: Sequence[Pixels]) -> Detections:
        banks = self.templates.banks()
        lowest = margin_of(LOWEST_SCORE, self.templates.slope, self.templates.offset)

        def find(pixels: Pixels) -> Findings:
            return self._found(View.of(pixels, self.finest), banks, lowest)

        return detect_each(self.name, images, find)

    def _found(self, view: View, banks: list[Bank], lowest: Floats) -> Findings:
        templates = self.templates
        windows = scan(view, templates, banks, lowest)
        template = windows.template
        score = scores_of(windows.margin, templates.slope[template], templates.offset[template])
        top = np.argsort(-score, kind="stable")[:_MOST_CANDIDATES]
        return Findings(templates.class_row[template[top]], windows.box[top], score[top]).best()


def scan(view: View, templates: Templates, banks: list[Bank], lowest: Floats) -> Windows:
    """Every window whose margin reaches the lowest of its template."""
    none = np.zeros(0, dtype=np.int64)
    parts = [Windows(none, none, none, none, np.zeros(0), np.zeros((0, 4)))]
    for number, level in enumerate(view.levels):
        for bank in banks:
            if level.cells.shape[0] < bank.rows or level.cells.shape[1] < bank.columns:
                continue
            sums = _sums(level.cells, bank)
            step, bias = templates.step[bank.members], templates.bias[bank.members]
            least = np.ceil((lowest[bank.members] - bias) / step).astype(np.float32)
            row, column, member = np.nonzero(sums >= least)
            parts.append(
                Windows(
                    bank.members[member],
                    np.full(len(row), number),
                    row,
                    column,
                    sums[row, column, member] * step[member] + bias[member],
                    window_boxes(view, level, row, column, (bank.rows, bank.columns)),
                )
            )
    return Windows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _sums(cells: Cells, bank: Bank) -> npt.NDArray[np.float32]:
    """Rows x columns x templates: cells times weights, summed; whole numbers, hence exact."""
    n_rows, n_columns = cells.shape[0] - bank.rows + 1, cells.shape[1] - bank.columns + 1
    # Neighbouring cells of a row lie side by side in memory: a strip is a stretch of it.
    strips = np.lib.stride_tricks.as_strided(
        cells,
        (cells.shape[0], n_columns, bank.columns * N_CHANNELS),
        cells.strides,
        writeable=False,
    )
    products = strips.reshape(-1, strips.shape[2]) @ bank.strips
    by_row = products.reshape(cells.shape[0], n_columns, bank.rows, -1)
    sums = by_row[:n_rows, :, 0].copy()
    for row in range(1, bank.rows):
        sums += by_row[row : row + n_rows, :, row]
    return sums


def window_boxes(
    view: View,
    level: Level,
    row: npt.NDArray[np.int64],
    column: npt.NDArray[np.int64],
    shape: tuple[int, int],
) -> Boxes:
    """The boxes of the objects that windows of a shape would hold, cut at the image's edge."""
    left = (column - PADDING + MARGIN) * level.cell_width
    top = (row - PADDING + MARGIN) * level.cell_height
    right = np.minimum(left + (shape[1] - 2 * MARGIN) * level.cell_width, view.width_px)
    bottom = np.minimum(top + (shape[0] - 2 * MARGIN) * level.cell_height, view.height_px)
    left, top = np.maximum(left, 0.0), np.maximum(top, 0.0)
    sides = [left, top, np.maximum(right - left, 0.0), np.maximum(bottom - top, 0.0)]
    return np.stack(sides, axis=1)
