"""Superpixels and which of them touch: how alike two neighbours are, in three numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boxlens.studies.proposals.segments import (
    SUPERPIXEL_SPACES,
    in_colours,
    neighbours,
    segment,
    segment_boxes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from boxlens.data.columns import Boxes, Floats
    from boxlens.images import Pixels
    from boxlens.studies.proposals.segments import Labels

# Of a colour histogram, for each channel: 16 x 16 x 16 together.
BINS = 16


class SuperpixelGraph(NamedTuple):
    """One row a superpixel; one row a pair (a < b) of superpixels that touch."""

    # Which superpixel each pixel is of.
    labels: Labels
    box: Boxes
    # Fraction of the picture.
    area: Floats
    pair: npt.NDArray[np.int64]
    # For each pair, each from 0 to 1: common colours, common border, smallness.
    features: Floats


def superpixel_graphs(
    image: Pixels, *, sigma: float = 0.8, k: float = 100.0, min_size_px: int = 100
) -> Iterator[SuperpixelGraph]:
    """One graph a colour space."""
    lab = in_colours(image, "lab")
    for space in SUPERPIXEL_SPACES:
        colours = in_colours(image, space)
        yield superpixel_graph(segment(colours, sigma=sigma, k=k, min_size=min_size_px), lab)


def superpixel_graph(labels: Labels, lab: Pixels) -> SuperpixelGraph:
    """The graph of a segmentation; colours are compared in Lab, wherever the labels come from."""
    pair, border = neighbours(labels)
    area = np.bincount(labels.ravel()) / labels.size
    first, second = pair.T
    shorter = np.minimum(*_perimeters(labels, pair, border)[pair.T])
    features = np.column_stack(
        [_common_colours(labels, lab, pair), border / shorter, 1 - area[first] - area[second]]
    )
    return SuperpixelGraph(labels, segment_boxes(labels), area, pair, features)


def _perimeters(
    labels: Labels, pair: npt.NDArray[np.int64], border: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Pixel sides around each superpixel, those at the end of the picture included."""
    ends = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    perimeter = np.bincount(ends, minlength=int(labels.max()) + 1)
    for side in pair.T:
        np.add.at(perimeter, side, border)
    return perimeter


def _common_colours(labels: Labels, lab: Pixels, pair: npt.NDArray[np.int64]) -> Floats:
    """How much two normalized colour histograms have in common."""
    from scipy.sparse import csr_array

    binned = lab // (256 // BINS)
    colour = (binned[..., 0].astype(np.int64) * BINS + binned[..., 1]) * BINS + binned[..., 2]
    flat = labels.ravel()
    weight = 1 / np.bincount(flat)
    shape = (len(weight), BINS**3)
    # Equal places are added up: few of the 4,096 colours occur in a superpixel.
    histogram = csr_array((weight[flat], (flat, colour.ravel())), shape=shape)
    common = histogram[pair[:, 0]].minimum(histogram[pair[:, 1]])
    return np.asarray(common.sum(axis=1), dtype=np.float64).reshape(-1)
