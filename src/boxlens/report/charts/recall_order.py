"""Methods of a study of recall by what they find: the order of keys, panels, columns and tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boxlens.report.charts.method_lines import method_styles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boxlens.proposals.recall.result import MethodRecall
    from boxlens.report.charts.method_lines import LineStyle


def best_first(methods: Iterable[MethodRecall]) -> list[MethodRecall]:
    """By average recall at the largest budget; those without a number last."""
    return sorted(methods, key=lambda one: (math.isnan(ar := one.chosen[-1].ar), -ar))


def styles_by_recall(methods: Sequence[MethodRecall]) -> dict[str, LineStyle]:
    """Looks do not depend on the numbers, so that a method has the same on every data set."""
    styles = method_styles(methods)
    return {one.name: styles[one.name] for one in best_first(methods) if one.name in styles}
