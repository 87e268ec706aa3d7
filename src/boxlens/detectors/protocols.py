"""What Boxlens asks of a detector, a classifier and a proposal generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from boxlens.data import Classes, Detections
from boxlens.data.columns import Boxes, Floats
from boxlens.images import Pixels


@runtime_checkable
class Detector(Protocol):
    """Finds and names objects."""

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> Classes: ...

    def detect(self, images: Sequence[Pixels]) -> Detections:
        """A batch: `image_row` is the place in it, `class_row` a row of `classes`.

        What is found in an image does not depend on the others of its batch.
        """


@runtime_checkable
class Classifier(Protocol):
    """Names what fills a crop."""

    @property
    def name(self) -> str: ...

    @property
    def classes(self) -> Classes: ...

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        """One row per crop, one column per class: the larger, the surer."""


@runtime_checkable
class ProposalGenerator(Protocol):
    """Says where objects may be, best first."""

    @property
    def name(self) -> str: ...

    def propose(self, image: Pixels, limit: int) -> tuple[Boxes, Floats]:
        """At most `limit` boxes (x, y, w, h) and their scores, descending."""
