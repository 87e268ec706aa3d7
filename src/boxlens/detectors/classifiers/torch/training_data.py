"""Training and validation crops, split by image, and the batches of every epoch."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from boxlens.data import Dataset, Notice, counted_notice
from boxlens.data.columns import Offsets, Rows, frozen
from boxlens.detectors.classifiers.torch.augmentation import augmented
from boxlens.detectors.classifiers.torch.choice import FineTuning
from boxlens.detectors.classifiers.torch.classifier import Mean
from boxlens.detectors.classifiers.torch.crop_cache import CropCache
from boxlens.images import Pixels


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Rows of the cache for training, and rows for validation."""

    cache: CropCache
    choice: FineTuning
    train: Offsets
    validation: Offsets
    mean: Mean

    @classmethod
    def of(cls, cache: CropCache, dataset: Dataset, choice: FineTuning) -> TrainingData:
        aside = _images_aside(cache.image_row, dataset, choice)
        judges = np.isin(cache.image_row, aside)
        train = frozen(np.flatnonzero(~judges), np.int64)
        validation = frozen(np.flatnonzero(judges), np.int64)
        return cls(cache, choice, train, validation, cache.mean(train))

    def batches(self, epoch: int) -> list[Offsets]:
        """All training rows in an order of this epoch alone."""
        random = np.random.RandomState([self.choice.seed, epoch])
        return in_batches(random.permutation(self.train), self.choice.batch)

    def squares(self, rows: Offsets, epoch: int, pool: Executor) -> Sequence[Pixels]:
        """Training crops as the epoch shows them."""
        if not self.choice.augment:
            return self.plain_squares(rows)

        def shown(row: int) -> Pixels:
            return augmented(
                self.cache.squares[row],
                seed=self.choice.seed,
                epoch=epoch,
                row=int(self.cache.object_row[row]),
            )

        return list(pool.map(shown, rows.tolist()))

    def plain_squares(self, rows: Offsets) -> Sequence[Pixels]:
        return [self.cache.squares[row] for row in rows.tolist()]

    def labels(self, rows: Offsets) -> Rows:
        return self.cache.class_row[rows]

    def notices(self, n_objects: int, class_names: Sequence[str]) -> tuple[Notice, ...]:
        """Boxes without a crop, and classes that cannot be learnt."""
        notices = counted_notice(
            "box_outside",
            n_objects - len(self.cache),
            "boxes outside their pictures were not used for training",
            "box outside its picture was not used for training",
        )
        seen = set(self.labels(self.train).tolist())
        unseen = [name for row, name in enumerate(class_names) if row not in seen]
        if unseen:
            notices += counted_notice(
                "class_without_examples",
                len(unseen),
                f"classes have no training crop, such as {unseen[0]}",
                f"class has no training crop: {unseen[0]}",
            )
        return notices


def in_batches(rows: Offsets, size: int) -> list[Offsets]:
    """A last batch of one joins the one before it, or is shown twice where it is the only one.

    Batch normalization cannot learn from one crop.
    """
    if len(rows) == 1:
        return [np.repeat(rows, 2)]
    batches = np.split(rows, np.arange(size, len(rows), size))
    if len(batches[-1]) == 1:
        batches[-2:] = [np.concatenate(batches[-2:])]
    return batches


def _images_aside(image_row: Rows, dataset: Dataset, choice: FineTuning) -> Rows:
    """Validation images: those whose own random number is lowest; one stays to learn from."""
    image_rows = np.unique(image_row)
    if choice.validation_share == 0:
        return image_rows[:0]
    n_aside = max(round(choice.validation_share * len(image_rows)), 1)
    n_aside = min(n_aside, len(image_rows) - 1)
    keys = [zlib.crc32(str(key).encode()) for key in dataset.images.id[image_rows].tolist()]
    draw = [np.random.RandomState([choice.seed, key]).random_sample() for key in keys]
    return image_rows[np.argsort(draw, kind="stable")[:n_aside]]
