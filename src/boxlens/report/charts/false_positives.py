"""What is wrong with false positives: the top ones, each class, along the ranking (METHODS 1.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Final

from boxlens.data.columns import Floats
from boxlens.report.charts.colours import INK, SOFT_INK
from boxlens.report.charts.forms.axes import SHARES, Axis, Names
from boxlens.report.charts.forms.layers import Palette, Row, Spec
from boxlens.report.charts.forms.marks import bars, lines, stacks, words
from boxlens.report.charts.forms.panels import beside, message, name_rows, plot
from boxlens.report.charts.forms.pies import PIE_PX, pie
from boxlens.report.charts.kinds import KINDS
from boxlens.report.charts.selecting import TOP, Terms, picks
from boxlens.studies.diagnosis.hoiem import HoiemClass, HoiemResult, HoiemSet
from boxlens.studies.diagnosis.hoiem_trends import FP_LABELS, DetectionTrend, FpTrend
from boxlens.wording import UNDEFINED, change, count, number, score, share, short

# Words by the kind that lends its colour; Hoiem removes the last two kinds together.
GAIN_WORDS: Final = {
    "loc": KINDS["loc"].label,
    "sim": KINDS["sim"].label,
    "bg": "other, background",
}
# The impacts of each, the longer bar first, and how strong it is drawn.
GAINS: Final = {
    "loc": {"loc_corrected": 0.35, "loc_removed": 1.0},
    "sim": {"sim_removed": 1.0},
    "bg": {"bg_removed": 1.0},
}
VERDICTS: Final = ("correct", "ignored", *FP_LABELS)
TREND_PX, TREND_HEIGHT_PX = 142, 120


def false_positives_chart(result: HoiemSet) -> Spec:
    """Shares of the four kinds beside the AP gained without them, for one set of classes."""
    gains, texts = gain_rows(result)
    panel = name_rows(
        gains,
        Names.of(GAIN_WORDS.values(), px=31),
        gain_axis(texts),
        bars("gain"),
        words("text", "gain", rows=texts, align="left", dx=4),
        width=140,
        title=f"AP gained (AP now {score(result.ap)})",
    )
    return beside(kinds_pie(result, legend=True), panel)


def gain_axis(texts: Sequence[Row]) -> Axis:
    """Twice as long as the bars: numbers stand right of them."""
    return Axis(ends=(0, 2 * max(0.01, *(row["gain"] for row in texts))), hidden=True)


def gain_rows(result: HoiemSet) -> tuple[list[Row], list[Row]]:
    """The bars of every kind, and the numbers right of them."""
    gains: list[Row] = []
    texts: list[Row] = []
    for kind, impacts in GAINS.items():
        known = [name for name in impacts if not math.isnan(result.impact[name])]
        of_kind = {"kind": kind, "row": GAIN_WORDS[kind]}
        gains += [
            {
                **of_kind,
                "gain": (gain := result.impact[name]),
                "colour": KINDS[kind].colour,
                "opacity": impacts[name],
                "tip": {
                    "kind": GAIN_WORDS[kind],
                    "how": name.split("_")[1],
                    "AP gained": score(gain),
                    "AP then": score(result.ap + gain),
                },
            }
            for name in known
        ]
        written = " / ".join(change(result.impact[name]) for name in reversed(known))
        texts.append(
            {
                **of_kind,
                "gain": max((result.impact[name] for name in known), default=0.0),
                "text": written or "no similar classes known",
                "ink": INK if written else SOFT_INK,
            }
        )
    return gains, texts


def kinds_pie(result: HoiemSet, *, legend: bool) -> Spec:
    """Shares of the four kinds, or a word that there are none."""
    if not sum(result.top_fp.values()):
        return message("no false positives", width=PIE_PX, height=PIE_PX)
    classes: Terms = {} if result.name == "all" else {"class": list(result.classes)}
    slices = [
        (
            KINDS[name],
            n,
            {
                "tip": {"false positives": count(n)},
                **picks(KINDS[name].label, n, terms={**classes, "hoiem": name, "top": TOP}),
            },
        )
        for name, n in result.top_fp.items()
    ]
    return pie(slices, legend=legend)


def fp_by_class_chart(shown: Sequence[HoiemClass]) -> Spec:
    """A bar per class, and beside it the classes that take a tenth or more of its errors."""
    # By place, since two classes may be called alike.
    places = {str(at): row for at, row in enumerate(shown)}
    n_errors = {place: sum(row.top_fp.values()) for place, row in places.items()}
    taken = {
        place: ", ".join(f"{short(one.other, 14)} {share(one.share)}" for one in row.confusions)
        for place, row in places.items()
    }
    rows = [
        {
            "row": place,
            "kind": KINDS[kind].label,
            "share": n / n_errors[place],
            "order": order,
            "tip": {
                "class": row.name,
                "kind": KINDS[kind].label,
                "errors": count(n),
                "share": share(n / n_errors[place]),
                "taken for": taken[place] or UNDEFINED,
            },
            **picks(
                f"{row.name}, {KINDS[kind].label}",
                n,
                terms={"class": row.name, "hoiem": kind, "top": TOP},
            ),
        }
        for place, row in places.items()
        for order, (kind, n) in enumerate(row.top_fp.items())
    ]
    return name_rows(
        rows,
        Names({place: row.name for place, row in places.items()}, px=15, characters=15),
        Axis("share of the top false positives", (0, 1), ticks=4, form=SHARES),
        stacks("bar", "share", _palette(FP_LABELS, 4)),
        width=110,
        columns={
            "errors": {place: count(n) for place, n in n_errors.items()},
            "taken for": {
                place: shorten(text, 33, placeholder=" ...") for place, text in taken.items()
            },
        },
    )


def _palette(names: Sequence[str], columns: int, picked: str = "chosen") -> Palette:
    colours = {KINDS[name].label: KINDS[name].colour for name in names}
    return Palette("kind", colours, columns=columns, picked=picked)


def fp_trends_chart(result: HoiemResult) -> Spec:
    """Kinds among ever more false positives; verdicts and recall among ever more detections."""
    fp, every = result.fp_trend, result.detection_trend
    fp_shares = _shares(fp, fp.counts, FP_LABELS)
    shares = _shares(every, every.multiples, VERDICTS)
    # The legend, which both panels share, names only what occurs.
    found = [*fp_shares.values(), *shares.values()]
    shown = [name for name in VERDICTS if any(one.get(name, 0) > 0 for one in found)]
    return beside(
        _trend(
            fp_shares,
            {at: count(at) for at in fp.counts[::2]},
            _palette(shown, 3, "chosen_in_false_positives"),
            across="false positives, best scored first",
            title="share of false positives",
            absent=f"fewer than {fp.counts[1]} false positives",
        ),
        _trend(
            shares,
            {at: _times(at) for at in every.multiples},
            _palette(shown, 3, "chosen_in_detections"),
            *_recalls("strong", every.multiples, every.mean_recall, [1, 0]),
            *_recalls("weak", every.multiples, every.mean_weak_recall, [4, 3]),
            across="detections, times objects of the class",
            title="share of detections; recall",
            absent="too few detections",
        ),
        gap=12,
    )


def _shares(
    trend: FpTrend | DetectionTrend, places: Sequence[float], names: Sequence[str]
) -> dict[float, dict[str, float]]:
    """Means over classes, as far as at least one class goes."""
    return {
        at: dict(zip(names, shares, strict=True))
        for at, n, shares in zip(places, trend.n_classes, trend.mean.tolist(), strict=True)
        if n > 0 and not any(map(math.isnan, shares))
    }


def _recalls(
    overlap: str, places: Sequence[float], recalls: Floats, dash: list[int]
) -> Iterator[Row]:
    for at, recall in zip(places, recalls.tolist(), strict=True):
        tip = {"overlap": overlap, "recall": score(recall)}
        yield {"x": at, "recall": recall, "series": overlap, "dash": dash, "tip": tip}


def _times(multiple: float) -> str:
    return number(multiple) if multiple >= 1 else f"1/{number(1 / multiple)}"


def _trend(
    shares: Mapping[float, Mapping[str, float]],
    labels: Mapping[float, str],
    palette: Palette,
    *recalls: Row,
    across: str,
    title: str,
    absent: str,
) -> Spec:
    if len(shares) < 2:
        return message(absent, width=TREND_PX, height=TREND_HEIGHT_PX)
    rows = [
        {
            "x": at,
            "share": value,
            "kind": KINDS[name].label,
            "order": order,
            "tip": {across: number(at), "kind": KINDS[name].label, "share": share(value)},
        }
        for at, by_kind in shares.items()
        for order, (name, value) in enumerate(by_kind.items())
        if KINDS[name].label in palette.colours
    ]
    return plot(
        rows,
        Axis(across, (min(shares), max(shares)), names=labels, kind="log", grid=False),
        Axis(ends=(0, 1), ticks=4, grid=False),
        stacks("area", "share", palette),
        lines("recall", rows=[row for row in recalls if row["x"] in shares], color=INK),
        width=TREND_PX,
        height=TREND_HEIGHT_PX,
        title=title,
    )
