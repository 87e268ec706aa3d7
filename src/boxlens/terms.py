"""Abbreviations of the field, spelled out once for every page."""

from __future__ import annotations

import re
from typing import Final

TERMS: Final = {
    "AP": "average precision",
    "AP50": "AP at IoU 0.5",
    "AP75": "AP at IoU 0.75",
    "APs, APm, APl": "AP of small, medium and large objects",
    "AP_N": "normalized AP, as if every class had the same number of objects",
    "P_N": "normalized precision",
    "mAP": "mean AP over classes",
    "dAP": "AP gained by a fix (TIDE)",
    "UAP": "upper bound of AP: true boxes with a classifier's labels",
    "AR": "average recall",
    "AR1, AR10, AR100": "AR with up to so many detections per image",
    "ARs, ARm, ARl": "AR of small, medium and large objects",
    "IoU": "intersection over union, the overlap of two boxes",
    "F1": "harmonic mean of precision and recall",
    "oLRP": "optimal localization recall precision, an error",
    "FDA": "frame detection accuracy, the overlap found in an image",
    "CPL": "chance performance of localization",
    "ABO": "average best overlap",
    "VUS": "volume under the surface of recall",
    "mPC": "mean performance under corruption",
    "rPC": "relative performance under corruption",
    "NMS": "non-maximum suppression",
    "SE": "standard error",
}


def spelled_out(text: str) -> str:
    """The abbreviations that a text uses, each with what it means."""
    words = set(re.findall(r"\w+", text))
    used = (name for name in TERMS if words & set(name.split(", ")))
    return " ".join(f"{name}: {TERMS[name]}." for name in used)
