"""Values of characteristics object by object, for those who tell errors apart by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.studies.sensitivity.characteristics import Objects
from boxlens.studies.sensitivity.choosing import Catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.data import Dataset
    from boxlens.data.columns import Bools, Rows


def object_values(
    dataset: Dataset, counted: Bools, names: Sequence[str]
) -> list[tuple[str, tuple[str, ...], Rows]]:
    """Of each characteristic: name, names of its values, the value of every object (-1: none)."""
    catalogue = Catalogue(Objects.of(dataset.gt, counted, len(dataset.classes)), {})
    columns = [catalogue.column(name) for name in names]
    return [(column.name, column.subset_names, column.code[0]) for column in columns]
