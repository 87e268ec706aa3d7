"""What a planted detection is, and what each error scheme calls it (METHODS 1.2, 9.2)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class Kind(IntEnum):
    """The truth about a detection. BOTH: poorly placed on an object of another class."""

    CORRECT = 0
    LOCALIZATION = 1
    DUPLICATE = 2
    SIMILAR = 3
    DISSIMILAR = 4
    BOTH_SIMILAR = 5
    BOTH_DISSIMILAR = 6
    BACKGROUND = 7
    # On a difficult or crowd object: counts nowhere.
    IGNORED = 8

    @property
    def label(self) -> str:
        return self.name.lower()

    @property
    def confused(self) -> bool:
        return Kind.SIMILAR <= self <= Kind.BOTH_DISSIMILAR

    @property
    def dissimilar(self) -> bool:
        return self in {Kind.DISSIMILAR, Kind.BOTH_DISSIMILAR}

    @property
    def badly_placed(self) -> bool:
        """Between the background and the foreground IoU with its object."""
        return self in {Kind.LOCALIZATION, Kind.BOTH_SIMILAR, Kind.BOTH_DISSIMILAR}


# By Hoiem and by TIDE. An empty name: no error in this scheme.
_NAMES = {
    Kind.CORRECT: ("", ""),
    Kind.LOCALIZATION: ("Loc", "Loc"),
    Kind.DUPLICATE: ("Loc", "Dupe"),
    Kind.SIMILAR: ("Sim", "Cls"),
    Kind.DISSIMILAR: ("Oth", "Cls"),
    Kind.BOTH_SIMILAR: ("Sim", "Both"),
    Kind.BOTH_DISSIMILAR: ("Oth", "Both"),
    Kind.BACKGROUND: ("BG", "Bkg"),
    Kind.IGNORED: ("", ""),
}
SCHEMES: Mapping[str, Mapping[Kind, str]] = MappingProxyType(
    {
        scheme: MappingProxyType({kind: names[at] for kind, names in _NAMES.items()})
        for at, scheme in enumerate(("hoiem", "tide"))
    }
)
