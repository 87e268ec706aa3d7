"""Whole reports on some images of the demo, of one detector or two."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data.selection import select_images
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.studies.report import ReportChoice, answer_tables
from studies.comparison.compared import NASTY
from studies.diagnosis.worlds import demo_dataset, demo_detections

SURE = ResamplingChoice(n_replicates=100)
N_IMAGES = 60
# Equal once they are file names, and no text that a page may take as it is.
ALIKE = (NASTY[0], '"script" \\ & [script].alert(a) <script>')


@cache
def world(names=("window", "region")):
    """Some images of the demo, and one detector or two."""
    found = [demo_detections("window"), demo_detections("region")]
    rows = np.arange(N_IMAGES)
    tables = [
        replace(select_images(demo_dataset(), one, rows)[1], name=name)
        for one, name in zip(found, names, strict=False)
    ]
    return demo_dataset().select_images(rows), tables


@cache
def answered(names=("window", "region"), ask=()):
    return answer_tables(*world(names), ReportChoice(ask=ask, resampling=SURE))
