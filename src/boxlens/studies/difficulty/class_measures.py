"""How hard each class of a data set is, and the data set as the mean of its classes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.columns import Floats, Offsets
from boxlens.data.windows import Windows
from boxlens.metrics.json_form import JsonRecord, as_key, defined, to_json
from boxlens.progress import Progress
from boxlens.studies.difficulty.choice import DifficultyChoice
from boxlens.studies.difficulty.clutter import Clutter, measure_clutter
from boxlens.studies.difficulty.counted_objects import counted_objects
from boxlens.studies.difficulty.cpl import ChanceLocalization, chance_localization
from boxlens.studies.difficulty.instances import InstanceMeasures, measure_instances
from boxlens.studies.difficulty.measures import MEASURE_NAMES, MEASURES, MeasureName


@dataclass(frozen=True, slots=True)
class ClassDifficulty(JsonRecord):
    """One class; NaN where a measure is undefined (METHODS 3.4-3.6)."""

    name: str = field(metadata=as_key("class"))
    # Images with a counted object of the class, and these objects.
    n_images: int
    n_objects: int
    instances_per_image: float
    neighbours: float
    scale: float
    cpl: float
    clutter: float
    # Of `n_images`, those whose windows are known.
    n_images_searched: int = 0

    def value(self, measure: MeasureName) -> float:
        number: float = getattr(self, measure)
        return number


@dataclass(frozen=True, slots=True)
class WindowsUsed(JsonRecord):
    """Which ranked windows clutter was counted with."""

    name: str
    # Looked at in each image at most.
    limit: int
    n_images: int
    n_windows: int
    # What exactly made them: a generator's identity, or a file.
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class DatasetDifficulty:
    """A data set: its classes in row order, and the mean over those where a measure is defined."""

    name: str
    n_images: int
    # Objects that count, and those left out: crowds, groups, difficult ones.
    n_objects: int
    n_left_out: int
    classes: tuple[ClassDifficulty, ...]
    means: Mapping[str, float]
    # Classes that each mean is taken over.
    n_defined: Mapping[str, int]
    windows: WindowsUsed | None = None
    notices: tuple[Notice, ...] = ()

    def columns(self) -> dict[MeasureName, Floats]:
        """Every measure by class; NaN where it is undefined."""
        return {
            name: np.array([one.value(name) for one in self.classes], dtype=np.float64)
            for name in MEASURE_NAMES
        }

    def hardest_first(self, measure: MeasureName) -> list[ClassDifficulty]:
        """Classes that have the measure; of equal values those with small objects first."""
        sign = 1 if MEASURES[measure].harder == "low" else -1
        known = (one for one in self.classes if not math.isnan(one.value(measure)))
        return sorted(known, key=lambda one: (sign * one.value(measure), one.scale))

    def quartiles(self, measure: MeasureName) -> tuple[float, float, float]:
        """Lower quartile, median and upper quartile of the classes that have the measure."""
        values = np.array([one.value(measure) for one in self.classes], dtype=np.float64)
        known = values[~np.isnan(values)]
        if not len(known):
            return math.nan, math.nan, math.nan
        low, middle, high = np.percentile(known, (25, 50, 75)).tolist()
        return low, middle, high

    @property
    def n_classes(self) -> int:
        """Those with objects."""
        return sum(one.n_objects > 0 for one in self.classes)

    @property
    def searched_in_part(self) -> bool:
        """Windows are known, but not of all images: clutter is that of the others."""
        return self.windows is not None and any(
            one.n_images_searched < one.n_images for one in self.classes
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "n_images": self.n_images,
            "n_objects": self.n_objects,
            "n_left_out": self.n_left_out,
            "n_classes": self.n_classes,
            **defined(self.means),
            "n_classes_defined": dict(self.n_defined),
            "windows": to_json(self.windows),
            "notices": to_json(self.notices),
        }


def measure_dataset(
    dataset: Dataset,
    choice: DifficultyChoice,
    windows: Windows | None = None,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> DatasetDifficulty:
    """Every measure of every class; clutter where ranked windows are given."""
    objects = counted_objects(dataset, choice)
    instances = measure_instances(dataset, objects, choice, threads=threads)
    chance = chance_localization(objects, threads=threads, progress=progress)
    clutter = None
    notices = (*dataset.notices, *objects.notices(), *chance.notices)
    if windows is not None:
        clutter = measure_clutter(
            dataset, objects, windows, choice, threads=threads, progress=progress
        )
        notices = (*notices, *windows.notices, *clutter.notices)
    classes = _classes(dataset.classes.name, instances, chance, clutter)
    values = {name: [one.value(name) for one in classes] for name in MEASURE_NAMES}
    return DatasetDifficulty(
        name=dataset.name,
        n_images=len(dataset.images),
        n_objects=len(objects),
        n_left_out=objects.n_left_out,
        classes=classes,
        means={name: mean_of_defined(of_classes) for name, of_classes in values.items()},
        n_defined={
            name: sum(not math.isnan(value) for value in of_classes)
            for name, of_classes in values.items()
        },
        windows=None if windows is None else _windows_used(windows, choice.n_windows),
        notices=notices,
    )


def defined_measures(datasets: Iterable[DatasetDifficulty]) -> list[MeasureName]:
    """Those that some class of some data set has."""
    sets = tuple(datasets)
    return [name for name in MEASURE_NAMES if any(one.n_defined[name] for one in sets)]


def mean_of_defined(values: Iterable[float]) -> float:
    """The exact mean, rounded once; NaN where no value is defined.

    The order of classes then does not matter, and equal values have this value as their mean.
    """
    known = [value for value in values if not math.isnan(value)]
    return statistics.mean(known) if known else math.nan


def _classes(
    names: tuple[str, ...],
    instances: InstanceMeasures,
    chance: ChanceLocalization,
    clutter: Clutter | None,
) -> tuple[ClassDifficulty, ...]:
    unknown: Floats = np.full(len(names), np.nan)
    none: Offsets = np.zeros(len(names), dtype=np.int64)
    columns = zip(
        names,
        instances.n_images.tolist(),
        instances.n_objects.tolist(),
        instances.instances_per_image.tolist(),
        instances.neighbours.tolist(),
        instances.scale.tolist(),
        chance.cpl.tolist(),
        (unknown if clutter is None else clutter.clutter).tolist(),
        (none if clutter is None else clutter.n_images_searched).tolist(),
        strict=True,
    )
    return tuple(ClassDifficulty(*row) for row in columns)


def _windows_used(windows: Windows, limit: int) -> WindowsUsed:
    n_windows = int(np.minimum(np.diff(windows.offsets), limit).sum())
    n_images = int(windows.searched.sum())
    return WindowsUsed(windows.name, limit, n_images, n_windows, windows.made_by)
