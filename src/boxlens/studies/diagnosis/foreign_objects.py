"""Objects as each class of detections sees them: those of other classes are there to be ignored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset, GroundTruth
from boxlens.data.columns import Bools
from boxlens.matching import COCO, Matches, Overlaps, assign
from boxlens.studies.diagnosis.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Views:
    """One row for every object and class of detections that touch it.

    Whether an object is taken is another question for each class, so one object has many rows.
    """

    evidence: Evidence
    dataset: Dataset
    # Pairs of the evidence with these rows.
    pairs: Overlaps

    def match(
        self,
        excusing: Bools,
        *,
        iou_threshold: float,
        area_ranges: Sequence[tuple[float, float]],
        threads: int = 0,
    ) -> Matches:
        """COCO's matching where the pairs of a mask with other classes excuse (METHODS 9.1).

        An object of another class excuses one detection of each class, a crowd any number.
        """
        keep = self.evidence.same_class | excusing
        kept = np.concatenate([[0], np.cumsum(keep)])
        pairs = replace(
            self.pairs,
            offsets=kept[self.pairs.offsets],
            gt_row=self.pairs.gt_row[keep],
            iou=self.pairs.iou[keep],
        )
        return assign(
            self.dataset,
            self.evidence.detections,
            pairs,
            COCO,
            iou_thresholds=(iou_threshold,),
            area_ranges=area_ranges,
            threads=threads,
        )


def views_by_class(evidence: Evidence) -> Views:
    """Objects of an image stand by class, then as in the file: the original breaks ties so."""
    gt, overlaps = evidence.dataset.gt, evidence.overlaps
    n_classes = max(len(evidence.dataset.classes), 1)
    by_class = np.lexsort((gt.class_row, gt.image_row))
    place = np.empty(len(by_class), dtype=np.int64)
    place[by_class] = np.arange(len(by_class))
    det_class = evidence.detections.class_row[evidence.det_row]
    seen_by = place[overlaps.gt_row] * n_classes + det_class
    views, row = np.unique(seen_by, return_inverse=True)
    place_of_view, class_row = np.divmod(views, n_classes)
    gt_row = by_class[place_of_view]
    own = gt.class_row[gt_row] == class_row
    objects = GroundTruth.of(
        len(evidence.dataset.images),
        image_row=gt.image_row[gt_row],
        class_row=class_row,
        box=gt.box[gt_row],
        area_px=gt.area_px[gt_row],
        difficult=evidence.ignored[gt_row] | ~own,
    )
    return Views(
        evidence=evidence,
        dataset=replace(evidence.dataset, gt=objects),
        pairs=replace(
            overlaps,
            gt_row=row.astype(np.int32),
            region=overlaps.region[gt_row],
            same_class=True,
            gt_box=objects.box,
            gt_class=objects.class_row,
        ),
    )
