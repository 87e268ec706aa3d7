"""Whether a classifier has learnt from the very pictures that it is tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.data import Notice
from boxlens.regular_files import real_path

if TYPE_CHECKING:
    from boxlens.data import Dataset
    from boxlens.images import ImageFiles

CODE = "training_pictures_tested"


def shared_pictures(
    dataset: Dataset, files: ImageFiles, train: Dataset, train_files: ImageFiles
) -> tuple[Notice, ...]:
    """By file, links followed; copies of pictures by the file of the ground truth and their id."""
    learnt = {real_path(path) for path in train_files.paths}
    n_shared = sum(real_path(path) in learnt for path in files.paths)
    if _same_file(dataset, train):
        ids = set(train_files.ids.tolist())
        n_shared = max(n_shared, sum(key in ids for key in files.ids.tolist()))
    if n_shared == 0:
        return ()
    which = "is among the pictures" if n_shared == 1 else "are among the pictures"
    message = (
        f"{n_shared:,} of {len(files):,} test pictures {which} that were learnt from: the "
        "classifier has seen these labels, and the bound is too high"
    )
    return (Notice(CODE, n_shared, message),)


def _same_file(dataset: Dataset, train: Dataset) -> bool:
    first, second = dataset.source, train.source
    return (
        first is not None and second is not None and first.path.resolve() == second.path.resolve()
    )
