"""The few findings that matter most, ranked by the AP they would bring, in plain sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxlens.metrics.results import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.diagnosis.orders import RepairGain
    from boxlens.diagnosis.places import Place
    from boxlens.diagnosis.tide import TideResult
    from boxlens.object_sensitivity.results import SensitivityResult

MOST_FINDINGS = 4
# A gain below this share of the AP that is lost is not worth a sentence.
LEAST_SHARE_OF_LOSS = 0.01
# A place is named when it holds this much of a gain, and this many times its even share.
NAMED_SHARE, NAMED_LIFT = 0.2, 1.5
# Less than this is .000 in three digits.
LEAST_TOLD = 0.0005
ACTIONS = {
    "cls": ("Naming the right class", "boxes sit on an object of another class"),
    "loc": ("Correcting localization", "boxes sit badly on an object of their class"),
    "both": (
        "Removing boxes that are badly placed and name another class",
        "boxes are wrong in class and place",
    ),
    "dupe": ("Suppressing duplicates", "boxes repeat an object found already"),
    "bkg": ("Removing detections on background", "boxes lie where no object is"),
    "miss": ("Finding missed objects", "objects have no usable detection"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend: what it would bring, and where."""

    error: str
    metric: str
    gain: float
    # Over all orders of repairs.
    lowest: float
    highest: float
    n: int
    place: Place | None
    sentence: str

    def to_json(self) -> dict[str, Any]:
        return {
            "error": self.error,
            "metric": self.metric,
            "gain": number(self.gain),
            "gain_over_orders": [number(self.lowest), number(self.highest)],
            "n": self.n,
            "place": None if self.place is None else self.place.to_json(),
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """Findings by falling gain, and what kind of object is hardest."""

    summary: str
    findings: tuple[Finding, ...]
    # About characteristics: in AP_N, so apart from the ranking by AP.
    objects: tuple[str, ...]

    def sentences(self) -> tuple[str, ...]:
        return (self.summary, *(row.sentence for row in self.findings), *self.objects)

    def to_json(self) -> dict[str, Any]:
        return {
            "summary": self.summary,
            "findings": [row.to_json() for row in self.findings],
            "objects": list(self.objects),
        }


def verdict(
    tide: TideResult, places: Sequence[Place], sensitivity: SensitivityResult | None
) -> Verdict:
    """Everything said is read off the numbers."""
    metric = f"AP{round(tide.foreground_iou * 100)}"
    objects = () if sensitivity is None else _about_objects(sensitivity)
    if math.isnan(tide.ap):
        return Verdict(
            "Nothing can be said: there are no objects and no detections that count.", (), ()
        )
    lost = 1 - tide.ap
    gains = {row.name: row for row in tide.orders}
    worth = [
        error
        for error in sorted(ACTIONS, key=lambda name: -tide.gain[name])
        if tide.gain[error] > 0 and tide.gain[error] >= LEAST_SHARE_OF_LOSS * lost
    ]
    findings = tuple(
        _finding(tide, gains[error], _telling(error, places), metric)
        for error in worth[:MOST_FINDINGS]
    )
    return Verdict(_summary(tide, metric, findings), findings, objects)


def _summary(tide: TideResult, metric: str, findings: Sequence[Finding]) -> str:
    start = f"{metric} is {_score(tide.ap)}"
    n_objects = sum(row.n_objects for row in tide.classes)
    if n_objects == 0:
        return f"{start}: there are no objects to find, and every detection is wrong."
    if not len(tide.types.det_type):
        return f"{start}: there are no detections, so none of {n_objects:,} objects is found."
    counts = (
        f"{tide.n['fp']:,} of the counted detections are wrong, "
        f"{tide.n['fn']:,} of {n_objects:,} objects are not found"
    )
    with_objects = [row for row in tide.classes if row.n_objects]
    never = sum(row.ap == 0 for row in with_objects)
    if never:
        counts += f", {never:,} of {len(with_objects):,} classes are never found"
    if tide.n["fp"] == 0 and tide.n["fn"] == 0:
        return f"{start}: every counted detection is right and every object is found."
    if not findings:
        return f"{start}: {counts}, and no single kind of repair would raise it."
    return f"{start}: {counts}."


def _finding(tide: TideResult, gain: RepairGain, place: Place | None, metric: str) -> Finding:
    action, what = ACTIONS[gain.name]
    n = tide.n[gain.name]
    value = tide.gain[gain.name]
    text = f"{action} would bring +{_score(value)} {metric}"
    if abs(gain.mean - value) >= LEAST_TOLD:
        text += f" (+{_score(gain.mean)} on average over all orders of repairs)"
    if place is not None:
        text += f"; {min(place.share, 1):.0%} of it {_where(place)}"
    text += f". {n:,} {what}"
    return Finding(
        error=gain.name,
        metric=metric,
        gain=value,
        lowest=gain.lowest,
        highest=gain.highest,
        n=n,
        place=place,
        sentence=text + ".",
    )


def _telling(error: str, places: Sequence[Place]) -> Place | None:
    """The place that holds most above its even share."""
    named = [
        place
        for place in places
        if place.error == error
        and place.share >= NAMED_SHARE
        and place.share >= NAMED_LIFT * place.even_share
    ]
    return max(named, key=lambda place: place.share - place.even_share, default=None)


def _where(place: Place) -> str:
    if place.what == "size":
        return f"in {place.name}"
    if place.what == "class":
        return f"in class {place.name}"
    if place.what == "confusion":
        return f"where {place.name.replace(' taken for ', ' is taken for ')}"
    return f"in objects with {place.what} {place.name}"


def _about_objects(result: SensitivityResult) -> tuple[str, ...]:
    return (*_about_spread(result), *_about_misses(result))


def _about_spread(result: SensitivityResult) -> tuple[str, ...]:
    """The characteristic with the widest spread of AP_N, and what making all alike would bring."""
    spread = [row for row in result.characteristics if row.sensitivity >= LEAST_TOLD]
    if not spread:
        return ()
    widest = max(spread, key=lambda row: row.sensitivity)
    text = (
        f"Objects differ most by {widest.name}: AP_N is {_score(widest.highest)} where it is best "
        f"and {_score(widest.lowest)} where it is worst, on average over classes; were all objects "
        f"like the best, AP_N would rise by {_score(widest.impact)} from {_score(widest.ap_n)}."
    )
    return (text,)


def _about_misses(result: SensitivityResult) -> tuple[str, ...]:
    misses = result.misses
    if not misses.n_missed:
        return ()
    text = (
        f"{misses.n_missed:,} of {misses.n_objects:,} objects are undetected "
        f"(P_N below {_score(misses.p_n, 2)})"
    )
    loosest = min(misses.looser, key=lambda row: row.iou, default=None)
    if loosest is not None and not math.isnan(loosest.share_recovered):
        text += (
            f"; at an overlap of {_score(loosest.iou, 1)} {loosest.share_recovered:.0%} "
            "of them would count as found"
        )
    return (text + ".",)


def _score(value: float, digits: int = 3) -> str:
    """A fraction as this field writes it: .123."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text
