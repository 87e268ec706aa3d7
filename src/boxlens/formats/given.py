"""What users give a verb, files or tables, as tables; and which of their classes are used."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from os import PathLike
from typing import Any, TypeVar

from boxlens.data import Dataset, Detections
from boxlens.data.attributes import join_attributes
from boxlens.data.known_classes import ClassesChoice
from boxlens.data.selection import named_classes, shared_classes
from boxlens.errors import ParameterError
from boxlens.formats import read_dataset, read_detections, read_images
from boxlens.progress import Progress
from boxlens.wording import counted

Place = str | PathLike[str]
# A file, or columns by name: a mapping, or a frame of Polars or pandas.
GivenAttributes = Place | Any | None
GivenDataset = Dataset | Place
GivenDetections = Detections | Place


Verb = TypeVar("Verb", bound="Callable[..., Any]")

# What settings mean in every verb that has them.
SHARED_SETTINGS = {
    "gt": "Ground truth: a file or folder of any known format, or a table.",
    "dt": "Detections: a file, folder or table; a list of them for several detectors.",
    "protocol": 'Whose rules are followed: "coco", "voc07", "voc12", "lvis" or "openimages".',
    "intervals": "Resample images, and give an interval with the main numbers.",
    "replicates": "Resampled test sets, from 100 to 100,000.",
    "level": "Confidence level of intervals and tests, from 0.5 to below 1.",
    "interval_method": 'Kind of interval: "normal", "percentile" or "bca".',
    "seed": "Seed of everything random.",
    "images_used": '"all" images, those "common" to all detectors, or "check": all, but fail if '
    "the detectors were clearly run on different images.",
    "attributes": "What objects are like: a file (CSV, TSV, JSON, Parquet) or table, joined by "
    "object_id, by image and box, or by image and class.",
    "classes": "Names of the classes to count; none: all.",
    "classes_used": '"all": classes a detector lacks count as AP 0; "check": skip classes without '
    'a VOC result file; "known": also skip classes without any detection.',
    "split": 'Part of the data set, such as "test" (VOC, YOLO).',
    "gt_format": "Format of the ground truth; None: recognised by content.",
    "dt_format": "Format of the detections; None: recognised by content.",
    "names": "Names of the detectors, in their order; none: as their files are called.",
    "strict": "Unknown images or classes are an error, not a notice.",
    "order": 'How boxes of files are ranked, one for all or one each: by "descending" or '
    '"ascending" score, as "given", or "shuffled".',
    "keep": "Folder where what is found stays, so that a stopped run goes on.",
    "workers": "Processes that search pictures.",
    "threads": "Worker threads; 0: all cores.",
    "progress": "Called with what is being done, how much is done, and of how much.",
}
SHARED_HEAD = "As in every verb:"


def several_names(given: str | Sequence[str]) -> tuple[str, ...]:
    """One name alone, or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def pairs_of(given: str | Sequence[Any], name: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names, each as two names or as "area:occlusion"."""
    listed = [given] if isinstance(given, str) else list(given)
    pairs = [tuple(one.split(":")) if isinstance(one, str) else tuple(one) for one in listed]
    wrong = [one for one in pairs if len(one) != 2 or not all(map(str, one))]
    if wrong:
        raise ParameterError(f'{name} is a list of pairs such as ("area", "aspect"), got {given!r}')
    return tuple((str(first), str(second)) for first, second in pairs)


def one_detector(dt: GivenDetections | Sequence[GivenDetections]) -> Sequence[GivenDetections]:
    """Of a verb that looks at one detector at a time."""
    given = _listed(dt)
    if len(given) != 1:
        found = counted(len(given), "detector")
        raise ParameterError(f"expected one detector, got {found}: ask once per detector (dt)")
    return given


def shared_settings(verb: Verb) -> Verb:
    """Ends the docstring of a verb with the settings that it shares and does not explain itself."""
    told = inspect.getdoc(verb) or ""
    names = [name for name in inspect.signature(verb).parameters if f"`{name}`" not in told]
    lines = [f"- `{name}`: {SHARED_SETTINGS[name]}" for name in names if name in SHARED_SETTINGS]
    verb.__doc__ = "\n".join([told, "", SHARED_HEAD, "", *lines])
    return verb


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: settings that every verb takes."""

    split: str | None = None
    classes: str | Sequence[str] = ()
    gt_format: str | None = None
    dt_format: str | None = None
    names: str | Sequence[str] = ()
    strict: bool = False
    threads: int = 0
    progress: Progress | None = None
    attributes: GivenAttributes = None

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
        if not isinstance(gt, Dataset):
            self._told(0, 1 + n_others)
            read = read_dataset if objects else read_images
            gt = read(
                gt,
                format=self.gt_format,
                split=self.split,
                threads=self.threads,
                progress=self.progress,
            )
        if self.attributes is not None:
            gt = with_attributes(gt, self.attributes)
        if gt.source is None or not (self.split or self._classes):
            return gt
        classes = tuple(name for name in gt.classes.name if name in self._classes)
        return replace(gt, source=replace(gt.source, split=self.split, classes=classes))

    def detections(
        self, dt: GivenDetections | Sequence[GivenDetections], dataset: Dataset
    ) -> list[Detections]:
        """One table per detector, of all classes of the whole data set."""
        given = _listed(dt)
        names = checked_names(self.names, len(given), "detector")
        tables: list[Detections] = []
        for one, name in zip_longest(given, names):
            self._told(1 + len(tables), 1 + len(given))
            tables.append(self._table(one, name, dataset))
        return tables

    @property
    def _classes(self) -> Sequence[str]:
        return several_names(self.classes)

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


def with_attributes(dataset: Dataset, given: Any) -> Dataset:
    """With those of a file or of a table."""
    if isinstance(given, str | PathLike):
        from boxlens.formats.attribute_files import read_attributes

        return join_attributes(dataset, read_attributes(given))
    return dataset.with_attributes(given)


def checked_names(
    names: str | Sequence[str], n: int, whose: str, words: str = "--name, names"
) -> list[str]:
    """One per detector, or whatever has names; or none."""
    given = list(several_names(names))
    if given and len(given) != n:
        raise ParameterError(
            f"give one name per {whose}: {counted(n, whose)}, {counted(len(given), 'name')} "
            f"({words})"
        )
    return given


def _listed(dt: GivenDetections | Sequence[GivenDetections]) -> Sequence[GivenDetections]:
    return [dt] if isinstance(dt, (Detections, str, PathLike)) else dt
