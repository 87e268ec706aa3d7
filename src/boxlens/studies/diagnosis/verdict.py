"""The few findings that matter most, ranked by the AP that fixing each would add."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boxlens.metrics.json_form import JsonRecord, defined, number, to_json
from boxlens.studies.diagnosis.orders import RepairGain
from boxlens.studies.diagnosis.places import Place
from boxlens.studies.diagnosis.tide import TideClass, TideResult
from boxlens.studies.sensitivity.result import Characteristic, SensitivityResult
from boxlens.studies.sensitivity.verdict import undetected
from boxlens.wording import counted, score, share
from boxlens.wording import number as shown

MOST_FINDINGS = 4
# A gain below this share of the AP that is lost is not worth a sentence.
LEAST_SHARE_OF_LOSS = 0.01
# A place is named when it holds this much of a gain, and this many times its even share.
NAMED_SHARE, NAMED_LIFT = 0.2, 1.5
# A spread is named when it is this many times, and this much, above what chance would give.
SPREAD_LIFT, SPREAD_ABOVE = 1.5, 0.02
# What rounds to no difference.
LEAST_TOLD = 0.0005
MOST_NAMES = 3
# How an error is fixed, and what one or several of them are.
FIXES = {
    "cls": (
        "Fixing wrong classes",
        "box is on an object of another class",
        "boxes are on an object of another class",
    ),
    "loc": (
        "Fixing localization errors",
        "box is poorly placed on an object of its class",
        "boxes are poorly placed on an object of their class",
    ),
    "both": (
        "Removing boxes wrong in both class and location",
        "box is wrong in class and location",
        "boxes are wrong in class and location",
    ),
    "dupe": (
        "Removing duplicates",
        "box is a duplicate",
        "boxes are duplicates",
    ),
    "bkg": (
        "Removing background false positives",
        "box is a background false positive",
        "boxes are background false positives",
    ),
    "miss": (
        "Finding missed objects",
        "object has no detection that is right or could be fixed",
        "objects have no detection that is right or could be fixed",
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of error: the AP gained by fixing it, and where."""

    # TIDE's name of the kind: cls, loc, both, dupe, bkg or miss.
    error: str
    metric: str
    # AP gained by fixing it first; over all orders of fixes: mean, lowest and highest.
    gain: float
    mean: float
    lowest: float
    highest: float
    # How many such errors there are.
    n: int
    place: Place | None
    # The gain in a sentence, and what is behind it.
    headline: str
    detail: str

    @property
    def sentence(self) -> str:
        return f"{self.headline} {self.detail}"

    def to_json(self) -> dict[str, Any]:
        return {
            "error": self.error,
            "metric": self.metric,
            "gain": number(self.gain),
            "gain_over_orders": defined(
                {"mean": self.mean, "lowest": self.lowest, "highest": self.highest}
            ),
            "n": self.n,
            "place": to_json(self.place),
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class Verdict(JsonRecord):
    """Findings by falling gain, and what kind of object is hardest."""

    summary: str
    findings: tuple[Finding, ...]
    # About characteristics: in AP_N, so apart from the ranking by AP.
    objects: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """At most three: how good it is, the most rewarding fix, the hardest objects."""
        return (self.summary, *(row.headline for row in self.findings[:1]), *self.objects[:1])


def verdict(
    tide: TideResult,
    places: Sequence[Place],
    sensitivity: SensitivityResult | None,
    *,
    ap: float,
    n_beside_both: int = 0,
) -> Verdict:
    """Everything said is read off the numbers.

    `ap` is COCO's; gains are those of the orders of repairs, over classes with objects like it.
    """
    with_objects = [row for row in tide.classes if row.n_objects]
    n_detections = len(tide.types.det_type)
    if not with_objects:
        text = "Nothing can be said: there are no objects that count"
        if n_detections:
            text += f", only {counted(n_detections, 'detection')}"
        return Verdict(f"{text}.", (), ())
    metric = f"AP{tide.foreground_iou * 100:g}"
    worth = [
        row
        for row in sorted(tide.orders, key=lambda row: (-row.first, -row.mean))
        if max(row.first, row.mean) >= max(LEAST_SHARE_OF_LOSS * (1 - ap), LEAST_TOLD)
    ]
    findings = tuple(
        _finding(row, tide.n[row.name], _telling(row, places), metric, n_beside_both)
        for row in worth[:MOST_FINDINGS]
    )
    objects: tuple[str, ...] = ()
    if sensitivity is not None:
        objects = (*_about_spread(sensitivity), *_about_misses(sensitivity))
    return Verdict(f"{metric} is {score(ap)}: {_summary(tide, with_objects)}.", findings, objects)


def _summary(tide: TideResult, with_objects: Sequence[TideClass]) -> str:
    n_objects = sum(row.n_objects for row in with_objects)
    if not len(tide.types.det_type):
        return f"there are no detections, so none of {counted(n_objects, 'object')} is found"
    if tide.n["fp"] == 0 and tide.n["fn"] == 0:
        return "every counted detection is right and every object is found"
    text = (
        f"{counted(tide.n['fp'], 'counted detection')} {_are(tide.n['fp'])} wrong, "
        f"{tide.n['fn']:,} of {counted(n_objects, 'object')} {_are(tide.n['fn'])} not found"
    )
    never = [row.name for row in with_objects if row.ap == 0]
    if never:
        names = ", ".join(never[:MOST_NAMES]) + (" ..." if len(never) > MOST_NAMES else "")
        n_classes = counted(len(with_objects), "class", "classes")
        text += f"; {len(never):,} of {n_classes} {_are(len(never))} never found ({names})"
    return text


def _finding(
    gain: RepairGain, n: int, place: Place | None, metric: str, n_beside_both: int
) -> Finding:
    fix, one, many = FIXES[gain.name]
    if gain.first < LEAST_TOLD:
        headline = f"{fix} alone would add nothing, but {score(gain.mean)} {metric} on average"
        headline += " over all orders of fixes."
        orders = ""
    else:
        where = (
            "" if place is None else f", {share(min(place.share, 1))} of it {where_it_is(place)}"
        )
        headline = f"{fix} would add {score(gain.first)} {metric}{where}."
        orders = (
            f"Over all orders of fixes it would add {score(gain.mean)} on average. "
            if abs(gain.mean - gain.first) >= LEAST_TOLD
            else ""
        )
    detail = f"{orders}{n:,} {one if n == 1 else many}"
    if gain.name == "miss" and n_beside_both:
        have = "has" if n_beside_both == 1 else "have"
        detail += (
            f"; {n_beside_both:,} of them {have} a nearby box with the wrong class and location"
        )
    return Finding(
        error=gain.name,
        metric=metric,
        gain=gain.first,
        mean=gain.mean,
        lowest=gain.lowest,
        highest=gain.highest,
        n=n,
        place=place,
        headline=headline,
        detail=f"{detail}.",
    )


def _telling(gain: RepairGain, places: Sequence[Place]) -> Place | None:
    """The place that holds most above its even share; a pair of classes before its kin.

    Shares are those of the gain alone: where that is nothing there is nothing to share.
    """
    named = [
        place
        for place in places
        if place.error == gain.name
        and gain.first >= LEAST_TOLD
        and place.share >= NAMED_SHARE
        and place.share >= NAMED_LIFT * place.even_share
    ]
    best = max(named, key=lambda place: place.share - place.even_share, default=None)
    if best is not None and best.what == "similarity":
        pairs = [place for place in named if place.what == "confusion"]
        pair = max(pairs, key=lambda place: place.share, default=None)
        return pair if pair is not None and pair.share >= best.share / 2 else best
    return best


def where_it_is(place: Place) -> str:
    """The place of a gain, after "58% of it"."""
    if place.what == "size":
        # Some errors have no object, only their own box.
        of_box = place.error in ("both", "dupe", "bkg")
        return f"in {place.name.replace('objects', 'boxes') if of_box else place.name}"
    if place.what == "class":
        return f"in class {place.name}"
    if place.what == "similarity":
        return f"between {place.name}"
    if place.what == "confusion":
        return f"where {place.name.replace(' taken for ', ' is taken for ')}"
    return f"in objects with {place.what} = {place.name}"


def _about_spread(result: SensitivityResult) -> tuple[str, ...]:
    """The characteristic whose subsets differ most beyond chance, and which they are."""
    beyond = [
        row
        for row in result.characteristics
        if row.sensitivity >= SPREAD_LIFT * row.chance
        and row.sensitivity - row.chance >= SPREAD_ABOVE
    ]
    if not beyond:
        return ()
    widest = max(beyond, key=lambda row: row.sensitivity - row.chance)
    (worst, worst_name), (best, best_name) = _far_apart(widest)
    n_classes = sum(not math.isnan(row.ap_n) for row in widest.classes)
    among = ""
    if widest.n_classes < n_classes:
        n = counted(n_classes, "class", "classes")
        among = f" (over the {widest.n_classes} of {n} with enough objects)"
    whole = (
        f"Objects differ most by {widest.name}: AP_N (normalized AP) is {score(worst)} for "
        f"{worst_name} and {score(best)} for {best_name}, on average over the classes that have "
        "them."
    )
    within = (
        f"Within a class{among} the best and the worst kind of objects by {widest.name} are "
        f"{score(widest.sensitivity)} apart, where chance alone would give {score(widest.chance)}."
    )
    return whole, within


def _far_apart(row: Characteristic) -> tuple[tuple[float, str], tuple[float, str]]:
    """The worst and the best subset; of flags the two states of the one that differ most.

    Flags belong to classes: a hidden arm and a visible wheel are other objects altogether.
    """
    pairs = list(zip(row.subset_ap_n, row.subset_names, strict=True))
    if row.kind != "flags":
        known = [pair for pair in pairs if not math.isnan(pair[0])]
        return min(known), max(known)
    states = [
        (min(flag), max(flag))
        for flag in zip(pairs[::2], pairs[1::2], strict=True)
        if not any(math.isnan(ap_n) for ap_n, _ in flag)
    ]
    return max(states, key=lambda ends: ends[1][0] - ends[0][0])


def _about_misses(result: SensitivityResult) -> tuple[str, ...]:
    misses = result.misses
    if not misses.n_missed:
        return ()
    text = undetected(misses)
    loosest = min(misses.looser, key=lambda row: row.iou, default=None)
    if loosest is not None and not math.isnan(loosest.share_recovered):
        text += (
            f"; {share(loosest.share_recovered)} of them would count as found at IoU "
            f"{shown(loosest.iou)}"
        )
    return (f"{text}.",)


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
