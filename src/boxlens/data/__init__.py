"""The tables every other part reads: images, classes, ground truth, detections."""

from boxlens.data.classes import Classes, ClassTree
from boxlens.data.columns import Links
from boxlens.data.dataset import Dataset, GroundTruth, Spans
from boxlens.data.detections import Detections, check_tables
from boxlens.data.images import Images
from boxlens.data.selection import (
    concatenate,
    concatenate_detections,
    select_classes,
    select_images,
)
from boxlens.data.source import Notice, Source, counted_notice, file_notices

__all__ = [
    "ClassTree",
    "Classes",
    "Dataset",
    "Detections",
    "GroundTruth",
    "Images",
    "Links",
    "Notice",
    "Source",
    "Spans",
    "check_tables",
    "concatenate",
    "concatenate_detections",
    "counted_notice",
    "file_notices",
    "select_classes",
    "select_images",
]
