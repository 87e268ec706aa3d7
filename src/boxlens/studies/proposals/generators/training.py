"""What methods learn from a data set, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from boxlens.data import Dataset
    from boxlens.formats.files import Progress
    from boxlens.images import ImageFiles
    from boxlens.studies.proposals.generators.protocols import Generator

# Those that learn from boxes alone, and those that look at pictures.
BLIND = ("uniform", "gaussian", "sliding-window")
TRAINABLE = (*BLIND, "objectness", "randomized-prim")


def train_generator(
    method: str,
    dataset: Dataset,
    files: ImageFiles | None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Generator:
    """A generator with the settings, tables or weights that the data set teaches."""
    if method in BLIND:
        return _from_boxes(method, dataset)
    if method not in TRAINABLE:
        raise ParameterError(f"{method} learns nothing: choose one of {', '.join(TRAINABLE)}")
    if files is None:
        raise ParameterError(f"{method} learns from pictures: name their folder (--images, files)")
    if method == "objectness":
        from boxlens.studies.proposals.generators.objectness_training import train_objectness

        return train_objectness(dataset, files, seed=seed, progress=progress)
    from boxlens.studies.proposals.generators.randomized_prim_training import train_randomized_prim

    return train_randomized_prim(dataset, files, seed=seed, progress=progress)


def _from_boxes(method: str, dataset: Dataset) -> Generator:
    from boxlens.studies.proposals.generators.box_statistics import (
        gaussian_of,
        sliding_window_of,
        uniform_of,
    )

    if method == "uniform":
        return uniform_of(dataset)
    return gaussian_of(dataset) if method == "gaussian" else sliding_window_of(dataset)
