"""Detectors that are ready to be run, under any name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from boxlens.detectors.from_callable import from_function
from boxlens.detectors.opening import open_detector
from boxlens.detectors.protocols import Detector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data import Classes, Dataset, Detections
    from boxlens.images import Pixels

Place = str | PathLike[str]
# What users may give as a detector.
Asked = Detector | Callable[..., Any] | Place


@dataclass(frozen=True, slots=True)
class NamedDetector:
    """A detector under another name."""

    detector: Detector
    name: str

    @property
    def classes(self) -> Classes:
        return self.detector.classes

    def detect(self, images: Sequence[Pixels]) -> Detections:
        return self.detector.detect(images)


@dataclass(frozen=True, slots=True)
class Model:
    """A detector that is ready, and what changes with its file or settings; "": nothing tells."""

    detector: Detector
    identity: str

    def called(self, name: str) -> Model:
        return Model(NamedDetector(self.detector, name), self.identity)

    @classmethod
    def opened(cls, model: Asked, dataset: Dataset, spec: str | None = None) -> Model:
        """A detector itself, a function of a picture, or what `boxlens detect --model` takes.

        The `identity` of the former, if it has one, is a text of its own making.
        """
        if isinstance(model, Detector):
            return cls(model, str(getattr(model, "identity", "")))
        if callable(model):
            return cls(from_function(model, dataset.classes), str(getattr(model, "identity", "")))
        return cls(*open_detector(fspath(model), spec=spec, classes=dataset.classes))
