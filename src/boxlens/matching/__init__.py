"""Overlaps, rules and assignment: from tables to who hit what."""

from boxlens.matching.assign import ALL_AREAS, MAX_CELLS, Matches, assign
from boxlens.matching.box_pairs import count_neighbours, count_overlapping_pairs
from boxlens.matching.overlaps import Overlaps, find_overlaps, reachable
from boxlens.matching.pairing import box_overlap, pair_one_to_one, paired_iou
from boxlens.matching.rules import COCO, HOIEM, LVIS, OPEN_IMAGES, RULES, UNLIMITED, VOC, Rule

__all__ = [
    "ALL_AREAS",
    "COCO",
    "HOIEM",
    "LVIS",
    "MAX_CELLS",
    "OPEN_IMAGES",
    "RULES",
    "UNLIMITED",
    "VOC",
    "Matches",
    "Overlaps",
    "Rule",
    "assign",
    "box_overlap",
    "count_neighbours",
    "count_overlapping_pairs",
    "find_overlaps",
    "pair_one_to_one",
    "paired_iou",
    "reachable",
]
