"""Protocols as lists of conventions, the order in which they change, and a sentence for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from boxlens.errors import ParameterError
from boxlens.matching import UNLIMITED
from boxlens.metrics.grid import IOU_THRESHOLDS

# What a protocol makes of an object that is no plain one. "region": overlap is the share of the
# detection inside, any number is excused. "one_hit": the best detection inside counts once.
Treatment = Literal["region", "ignored", "counted", "removed", "one_hit"]


@dataclass(frozen=True, slots=True)
class Limit:
    """How many detections take part, the best scored first."""

    count: int = UNLIMITED
    per_class: bool = True


@dataclass(frozen=True, slots=True)
class Conventions:
    """Everything that turns two files into one number, in the order in which steps change it.

    From the files to the number: which detections take part, which objects count, who hits what,
    how the curve is read, and over what the mean is taken.
    """

    # Detections scored above it take part.
    score_cut: float = -math.inf
    max_dets: Limit = Limit()
    hierarchy: Literal["as_annotated", "expanded"] = "as_annotated"
    verified: Literal["all", "openimages", "lvis"] = "all"
    crowds: Treatment = "ignored"
    difficult: Treatment = "ignored"
    groups: Treatment = "ignored"
    matcher: Literal["coco", "voc"] = "voc"
    iou_thresholds: tuple[float, ...] = (0.5,)
    # Along the ranking; the matching inside an image keeps the order of the file.
    ties: Literal["stable", "worst", "best"] = "stable"
    interpolation: Literal["coco101", "voc07", "area", "lines", "lines_to_one"] = "area"
    class_mean: Literal["with_objects", "with_detections"] = "with_objects"


@dataclass(frozen=True, slots=True)
class Protocol:
    """Conventions under the name they are known by."""

    name: str
    title: str
    conventions: Conventions


_COCO = {"crowds": "region", "groups": "region", "matcher": "coco", "interpolation": "coco101"}
# What `yolo val` sees: its converters write no labels for crowds and difficult objects.
_ULTRALYTICS = {
    "score_cut": 0.001,
    "max_dets": Limit(300, per_class=False),
    "crowds": "removed",
    "difficult": "removed",
    "groups": "counted",
    "interpolation": "lines",
}


def _protocol(name: str, title: str, **conventions: Any) -> Protocol:
    return Protocol(name, title, Conventions(**conventions))


PROTOCOLS: Mapping[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        _protocol("coco", "COCO AP", **_COCO, max_dets=Limit(100), iou_thresholds=IOU_THRESHOLDS),
        _protocol("coco50", "COCO AP50", **_COCO, max_dets=Limit(100)),
        _protocol("voc07", "VOC 2007 mAP", interpolation="voc07"),
        _protocol("voc12", "VOC 2010-2012 mAP"),
        _protocol(
            "lvis",
            "LVIS AP",
            max_dets=Limit(300, per_class=False),
            verified="lvis",
            crowds="counted",
            groups="counted",
            matcher="coco",
            iou_thresholds=IOU_THRESHOLDS,
            interpolation="coco101",
        ),
        _protocol(
            "openimages",
            "Open Images mAP",
            hierarchy="expanded",
            verified="openimages",
            groups="one_hit",
        ),
        _protocol(
            "tide",
            "TIDE AP50",
            **_COCO,
            max_dets=Limit(100, per_class=False),
            class_mean="with_detections",
        ),
        _protocol(
            "ultralytics", "Ultralytics mAP50-95", **_ULTRALYTICS, iou_thresholds=IOU_THRESHOLDS
        ),
        _protocol("ultralytics50", "Ultralytics mAP50", **_ULTRALYTICS),
        _protocol(
            "ultralytics83",
            "Ultralytics 8.3 mAP50-95",
            **_ULTRALYTICS | {"interpolation": "lines_to_one"},
            iou_thresholds=IOU_THRESHOLDS,
        ),
    )
}

STEPS: tuple[str, ...] = tuple(field.name for field in fields(Conventions))
TITLES: Mapping[str, str] = {
    "score_cut": "score cut",
    "max_dets": "limit of detections",
    "hierarchy": "class tree",
    "verified": "verified classes",
    "crowds": "crowds",
    "difficult": "difficult objects",
    "groups": "group-of boxes",
    "matcher": "matching",
    "iou_thresholds": "IoU thresholds",
    "ties": "order of ties",
    "interpolation": "reading of the curve",
    "class_mean": "mean over classes",
}


def find_protocol(name: str) -> Protocol:
    """The protocol of a name."""
    if name not in PROTOCOLS:
        raise ParameterError(f"no protocol is called {name!r}: choose from {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


def check_conventions(conventions: Conventions) -> None:
    """Values that no word stands for would count as something else."""
    for name, words in WORDS.items():
        value = getattr(conventions, name)
        if value not in words:
            raise ParameterError(f"{name} is one of {', '.join(words)}, got {value!r}")


def differing(start: Conventions, end: Conventions) -> tuple[str, ...]:
    """The conventions in which two protocols differ, in the order of the steps."""
    return tuple(name for name in STEPS if getattr(start, name) != getattr(end, name))


def value_text(convention: str, value: Any) -> str:
    """A convention's value in a word or two."""
    if convention == "score_cut":
        return "none" if value == -math.inf else f"above {value:g}"
    if convention == "max_dets":
        if value.count == UNLIMITED:
            return "unlimited"
        return (
            f"{value.count} per class and image" if value.per_class else f"{value.count} per image"
        )
    if convention == "iou_thresholds":
        return f"{value[0]:g}" if len(value) == 1 else f"{value[0]:g} to {value[-1]:g}"
    return WORDS[convention][value][0]


def sentence(convention: str, before: Any, after: Any) -> str:
    """What a step changes."""
    told = _clause(convention, after)
    return f"{told[0].upper()}{told[1:]}; before, {_clause(convention, before)}."


def _clause(convention: str, value: Any) -> str:
    if convention == "score_cut":
        if value == -math.inf:
            return "detections of every score take part"
        return f"only detections scored above {value:g} take part"
    if convention == "max_dets":
        if value.count == UNLIMITED:
            return "any number of detections takes part"
        whole = "each class and image" if value.per_class else "each image, over all classes,"
        return f"the {value.count} best-scored detections of {whole} take part"
    if convention == "iou_thresholds":
        if len(value) == 1:
            return f"a hit needs an IoU of {value[0]:g}"
        return f"AP is the mean over {len(value)} IoU thresholds, {value[0]:g} to {value[-1]:g}"
    return WORDS[convention][value][1]


def _treatments(one: str, several: str) -> dict[str, tuple[str, str]]:
    return {
        "region": ("regions", f"{one} is a region that excuses any number of detections inside"),
        "ignored": ("ignored", f"{one} counts neither as found nor as missed"),
        "counted": ("counted", f"{one} counts as one plain object"),
        "removed": ("removed", f"{several} are skipped, and detections on them are wrong"),
        "one_hit": (
            "one hit each",
            f"{one} is one object, hit by the best detection inside, and the others are excused",
        ),
    }


# Value -> in a word or two, and as a clause.
WORDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "hierarchy": {
        "as_annotated": ("as annotated", "an object counts under its own class"),
        "expanded": ("expanded", "an object counts under every ancestor of its class, too"),
    },
    "verified": {
        "all": ("all", "a class without objects in an image is taken as absent there"),
        "openimages": (
            "labels",
            "detections of a class that was not verified in their image are skipped",
        ),
        "lvis": (
            "labels, exhaustive",
            (
                "detections of a class that was not verified in their image are skipped, and "
                "so are unmatched ones where the class is not annotated exhaustively"
            ),
        ),
    },
    "crowds": _treatments("a crowd", "crowds"),
    "difficult": _treatments("a difficult object", "difficult objects"),
    "groups": _treatments("a group-of box", "group-of boxes"),
    "matcher": {
        "coco": ("best free", "a detection takes the best object that is still free"),
        "voc": ("best", "a detection takes its best object, and is wrong if that is taken"),
    },
    "ties": {
        "stable": ("as in the files", "detections of equal score keep the order of the files"),
        "worst": ("wrong first", "of detections with equal score the wrong ones come first"),
        "best": ("right first", "of detections with equal score the right ones come first"),
    },
    "interpolation": {
        "coco101": ("101 recalls", "precision is interpolated at 101 recall levels"),
        "voc07": ("11 recalls", "precision is interpolated at 11 recall levels"),
        "area": ("area", "the whole area under the steps of the curve is taken"),
        "lines": (
            "lines",
            (
                "the curve is joined by straight lines from precision 1 at recall 0, falls to 0 "
                "at its last recall, and is summed by trapezoids between 101 recalls"
            ),
        ),
        "lines_to_one": (
            "lines to recall 1",
            (
                "the curve is joined by straight lines from precision 1 at recall 0 to precision "
                "0 at recall 1, however far recall came, and is summed by trapezoids between 101 "
                "recalls"
            ),
        ),
    },
    "class_mean": {
        "with_objects": ("objects", "the mean is over classes with objects"),
        "with_detections": (
            "objects or detections",
            "classes that have detections but no objects count 0 in the mean",
        ),
    },
}
