"""The rules by which objects are handed to detections (METHODS 0.5), as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from boxlens.data import GroundTruth
from boxlens.data.columns import Bools
from boxlens.limits import AT_MOST

RuleName = Literal["coco", "voc", "hoiem", "open_images"]

UNLIMITED = AT_MOST.most


@dataclass(frozen=True, slots=True)
class Rule:
    """How a matcher treats objects, and how many detections it looks at."""

    name: str
    # The kernel's matcher: LVIS hands out objects as COCO does.
    matcher: RuleName
    # Largest number of detections considered, per class and image or per image.
    max_dets: int = UNLIMITED
    max_dets_per_class: bool = True

    def regions(self, gt: GroundTruth) -> Bools:
        """Areas rather than objects: their overlap is the share of the detection inside them."""
        if self.name == "coco":
            return gt.crowd | gt.group_of
        if self.name == "open_images":
            return gt.group_of
        return np.zeros(len(gt), dtype=np.bool_)

    def ignored(self, gt: GroundTruth) -> Bools:
        """Objects that count neither as found nor as missed (METHODS 0.4)."""
        if self.name == "lvis":  # METHODS 9.5: no crowds
            return gt.difficult
        if self.name == "open_images":
            return gt.difficult | gt.crowd
        return gt.difficult | gt.crowd | gt.group_of


COCO = Rule("coco", "coco", max_dets=100)
VOC = Rule("voc", "voc")
HOIEM = Rule("hoiem", "hoiem")
LVIS = Rule("lvis", "coco", max_dets=300, max_dets_per_class=False)
OPEN_IMAGES = Rule("open_images", "open_images")
RULES = {rule.name: rule for rule in (COCO, VOC, HOIEM, LVIS, OPEN_IMAGES)}
