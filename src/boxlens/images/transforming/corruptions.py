"""The corruptions at five severities; objects stay where they are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from boxlens.images.corrupting.corruptions import CORRUPTIONS as FAMILIES
from boxlens.images.corrupting.corruptions import SEVERITIES, corrupt
from boxlens.images.transforming.layout import plan_unmoved
from boxlens.images.transforming.transform import Transform

if TYPE_CHECKING:
    from boxlens.images.corrupting.corruptions import Corruption
    from boxlens.images.pixels import Pixels
    from boxlens.images.transforming.layout import Layout
    from boxlens.images.transforming.shot import Exposure
    from boxlens.images.transforming.transform import Change

# The severity that changes nothing.
NONE = 0.0


def _draw(name: str, exposure: Exposure, _layout: Layout, change: Change) -> Pixels:
    seed, key = change.settings.seed, exposure.shot.key
    return corrupt(exposure.pixels, name, int(change.level), seed=seed, key=key)


def _is_legal(level: float) -> bool:
    return level in (NONE, *SEVERITIES)


def _transform(family: Corruption) -> Transform:
    return Transform(
        family.name,
        family.title,
        family.group,
        plan_unmoved,
        partial(_draw, family.name),
        levels=tuple(float(severity) for severity in SEVERITIES),
        unchanged=(NONE,),
        is_legal=_is_legal,
        legal=f"whole severities from 1 to {SEVERITIES[-1]}, and 0 for none",
        extra=family.extra,
    )


CORRUPTIONS = tuple(_transform(family) for family in FAMILIES.values())
