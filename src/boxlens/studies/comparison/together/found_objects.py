"""Which objects does a detector find, and with what score?"""

from __future__ import annotations

import numpy as np

from boxlens.data import Dataset, Detections
from boxlens.data.columns import Floats
from boxlens.metrics.protocols import prepare

# A hit, where objects and images are counted.
IOU = 0.5


def hit_scores(dataset: Dataset, table: Detections, *, threads: int = 0) -> Floats:
    """[object]: the score of the detection that hits it under COCO's rule, NaN where none does.

    A stronger detection never loses its object to a weaker one, so an object is found above a
    score cut exactly where this score is. Crowds and difficult objects are not found or missed.
    """
    matches = prepare(dataset, table, "coco").matches(IOU, keep_hits=True, threads=threads)
    hit = matches.labels() > 0
    scores = np.full(len(dataset.gt), np.nan)
    scores[matches.hit_row[0][hit]] = table.score[hit]
    return scores
