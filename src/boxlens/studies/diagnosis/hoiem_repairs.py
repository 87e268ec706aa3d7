"""AP once false positives of some kinds are gone: counted above every hit, then only subtracted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Bools, Floats, Labels
from boxlens.metrics.hits import Hits, area_ap, ranked_hits
from boxlens.metrics.ranking import Ranking
from boxlens.studies.diagnosis.hoiem_types import FP_TYPES, HoiemType
from boxlens.studies.diagnosis.orders import RepairGain, repair_gains, subsets

# Localization is corrected, the others are removed.
REPAIRS = ("loc", "sim", "oth", "bg")


@dataclass(frozen=True, slots=True)
class Ladder:
    """The hits of every class, and the false positives of each kind ranked above each of them."""

    hits: Hits
    # [kind, hit], kinds in the order of FP_TYPES.
    above: npt.NDArray[np.int64]
    n_positive: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls,
        ranking: Ranking,
        labels: Labels,
        det_type: Labels,
        n_positive: npt.NDArray[np.int64],
    ) -> Ladder:
        """The type of a false positive; hits may be those of other labels than the types'."""
        hits = ranked_hits(ranking, labels)
        ranked = np.where(labels < 0, det_type, HoiemType.CORRECT)[ranking.order]
        at = np.flatnonzero(labels[ranking.order] > 0)
        first = np.repeat(ranking.offsets[:-1], np.diff(hits.offsets))
        above = []
        for kind in FP_TYPES:
            n_before = np.concatenate([[0], np.cumsum(ranked == kind)])
            above.append(n_before[at] - n_before[first])
        return cls(hits, np.stack(above), n_positive)

    def ap_without(self, kinds: Collection[HoiemType]) -> Floats:
        """AP of every class with these kinds taken out of the ranking."""
        gone = self.above[[FP_TYPES.index(kind) for kind in kinds]].sum(axis=0)
        return area_ap(replace(self.hits, n_fp=self.hits.n_fp - gone), self.n_positive)


def impacts(plain: Ladder, corrected: Ladder, has_similar: Bools) -> dict[str, Floats]:
    """What each repair alone adds to the AP of every class, not below 0 (METHODS 1.4)."""
    start = plain.ap_without([])
    repaired = {
        "loc_removed": plain.ap_without([HoiemType.LOC]),
        "loc_corrected": corrected.ap_without([]),
        "sim_removed": np.where(has_similar, plain.ap_without([HoiemType.SIM]), np.nan),
        "bg_removed": plain.ap_without([HoiemType.OTH, HoiemType.BG]),
    }
    return {name: np.maximum(ap - start, 0) for name, ap in repaired.items()}


def repair_orders(plain: Ladder, corrected: Ladder) -> tuple[RepairGain, ...]:
    """The mean gain over classes in all orders of correcting Loc and removing Sim, Oth and BG."""
    counted = plain.n_positive > 0
    if not counted.any():
        return repair_gains(REPAIRS, np.full(1 << len(REPAIRS), np.nan))
    ap = []
    for chosen in subsets(len(REPAIRS)):
        ladder = corrected if chosen[0] else plain
        removed = [kind for kind, gone in zip(FP_TYPES[1:], chosen[1:], strict=True) if gone]
        ap.append(ladder.ap_without(removed)[counted].mean())
    return repair_gains(REPAIRS, np.array(ap))
