"""AP50 with an oracle, and what it brings, as a cell of a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.detector_pair import signed
from boxlens.report.charts.oracle_scores import unaided
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import Cell, score_cell

if TYPE_CHECKING:
    from boxlens.proposals.detection_use.oracle_result import DetectorOracles, OracleScore


def gain_cell(one: DetectorOracles, score: OracleScore) -> Cell:
    """Sorted by AP50; without help there is no gain."""
    start = unaided(one)
    gain = score.ap50 - start.ap50
    if math.isnan(gain) or score.oracle in ("raw", start.oracle):
        return score_cell(score.ap50)
    return Cell(f"{decimal(score.ap50)} ({signed(gain)})", score.ap50)
