"""Pictures of one step with their ground truth: drawn as they are read, or written out before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data import Dataset
    from boxlens.data.columns import Ids, Rows
    from boxlens.images import Picture
    from boxlens.images.transforming.transform import Step


class PictureSet(Protocol):
    """One row a picture."""

    @property
    def step(self) -> Step: ...

    @property
    def dataset(self) -> Dataset: ...

    @property
    def source_row(self) -> Rows:
        """The unchanged picture of each picture."""

    @property
    def object_row(self) -> Rows:
        """The unchanged object of each object; -1: it belongs to a scene pasted on."""

    @property
    def ids(self) -> Ids: ...

    @property
    def names(self) -> Sequence[str]: ...

    def __len__(self) -> int: ...

    def read(self, row: int) -> Picture:
        """Raises `ImageError` where there is no whole picture."""

    def size_bytes(self, row: int) -> int:
        """Of the file behind a picture."""

    def made_from(self) -> dict[str, Any]:
        """All that its pictures and boxes depend on, in JSON."""
