"""What users give a verb, files or tables, as tables; and which of their classes are used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from os import PathLike
from typing import TYPE_CHECKING

from boxlens.data import Dataset, Detections
from boxlens.data.selection import named_classes, shared_classes
from boxlens.errors import ParameterError
from boxlens.formats import read_dataset, read_detections, read_images
from boxlens.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data.known_classes import ClassesChoice
    from boxlens.formats.files import Progress

Place = str | PathLike[str]
GivenDataset = Dataset | Place
GivenDetections = Detections | Place


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: the settings that every verb takes."""

    # A part of the data set, such as "test" (VOC, YOLO).
    split: str | None = None
    # Names of the classes to count; none: all.
    classes: str | Sequence[str] = ()
    # None: recognised by content.
    gt_format: str | None = None
    dt_format: str | None = None
    # Of the detectors, in their order; none: as their files are called.
    names: str | Sequence[str] = ()
    # Unknown images or classes are an error.
    strict: bool = False
    # 0: all cores.
    threads: int = 0
    progress: Progress | None = None

    def dataset(self, gt: GivenDataset) -> Dataset:
        """Ground truth alone, of the classes asked for."""
        return named_classes(self.read(gt), (), self._classes)[0]

    def used(
        self,
        gt: GivenDataset,
        dt: GivenDetections | Sequence[GivenDetections],
        classes_used: ClassesChoice = "all",
        *,
        objects: bool = True,
    ) -> tuple[Dataset, list[Detections]]:
        """Ground truth and detections, of the classes asked for that `classes_used` counts.

        Without `objects`, a file of ground truth may lack them.
        """
        return self.of_classes(*self.whole(gt, dt, objects=objects), classes_used)

    def whole(
        self,
        gt: GivenDataset,
        dt: GivenDetections | Sequence[GivenDetections],
        *,
        objects: bool = True,
    ) -> tuple[Dataset, list[Detections]]:
        """Ground truth and detections of all classes."""
        given = _listed(dt)
        dataset = self.read(gt, len(given), objects=objects)
        return dataset, self.detections(given, dataset)

    def of_classes(
        self, dataset: Dataset, tables: Sequence[Detections], classes_used: ClassesChoice = "all"
    ) -> tuple[Dataset, list[Detections]]:
        """The part that is asked for."""
        return shared_classes(*named_classes(dataset, tables, self._classes), classes_used)

    def read(self, gt: GivenDataset, n_others: int = 0, *, objects: bool = True) -> Dataset:
        """Ground truth with all of its classes, the first of so many files."""
        if isinstance(gt, Dataset):
            return gt
        self._told(0, 1 + n_others)
        read = read_dataset if objects else read_images
        return read(
            gt,
            format=self.gt_format,
            split=self.split,
            threads=self.threads,
            progress=self.progress,
        )

    def detections(
        self, dt: GivenDetections | Sequence[GivenDetections], dataset: Dataset
    ) -> list[Detections]:
        """One table per detector, of all classes of the whole data set."""
        given = _listed(dt)
        names = [self.names] if isinstance(self.names, str) else list(self.names)
        if names and len(names) != len(given):
            raise ParameterError(
                f"--name needs one name per detector: {counted(len(given), 'detector')}, "
                f"{counted(len(names), 'name')} (names)"
            )
        tables: list[Detections] = []
        for one, name in zip_longest(given, names):
            self._told(1 + len(tables), 1 + len(given))
            tables.append(self._table(one, name, dataset))
        return tables

    @property
    def _classes(self) -> Sequence[str]:
        return [self.classes] if isinstance(self.classes, str) else self.classes

    def _told(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress("reading files", done, total)

    def _table(self, one: GivenDetections, name: str | None, dataset: Dataset) -> Detections:
        if isinstance(one, Detections):
            return one if name is None else replace(one, name=name)
        return read_detections(
            one,
            dataset,
            format=self.dt_format,
            name=name,
            strict=self.strict,
            threads=self.threads,
            progress=self.progress,
        )


def _listed(dt: GivenDetections | Sequence[GivenDetections]) -> Sequence[GivenDetections]:
    return [dt] if isinstance(dt, (Detections, str, PathLike)) else dt
