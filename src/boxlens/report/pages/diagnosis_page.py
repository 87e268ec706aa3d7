"""A diagnosis as a page: the verdict first, then what it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxlens.diagnosis.crosswalk import SCHEMES
from boxlens.diagnosis.hoiem_types import FP_TYPES
from boxlens.diagnosis.tide_types import ERRORS as ERROR_TYPES
from boxlens.report.charts.crosswalk import SCHEME_NAMES
from boxlens.report.charts.kinds import kind_of
from boxlens.report.charts.pr_areas import SIZES
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    count_cell,
    notes,
    paragraph,
    score_cell,
    share_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, about_data, page, provenance_section
from boxlens.report.pages.sensitivity_page import objects_section
from boxlens.report.planning.figure_plan import ERRORS, REPAIRS
from boxlens.report.planning.figure_plan import SCHEMES as SIDE_BY_SIDE

if TYPE_CHECKING:
    from boxlens.diagnosis import DiagnosisResult
    from boxlens.diagnosis.verdict import Finding
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "diagnose"
FP_KINDS = tuple(kind.label for kind in FP_TYPES)
TIDE_KINDS = tuple(kind.label for kind in ERROR_TYPES)


def diagnosis_page(
    result: DiagnosisResult,
    document: dict[str, Any],
    drawn: DrawnPlan,
    examples: Section,
) -> str:
    """`document` is what results.json holds."""
    *first, classes = diagnosis_sections(result, drawn)
    return page(
        (result.detections.name, result.dataset.name),
        about_data(result.dataset, [result.detections]),
        [*first, examples, classes, provenance_section(document)],
    )


def diagnosis_sections(result: DiagnosisResult, drawn: DrawnPlan) -> tuple[Section, ...]:
    """The verdict, what it rests on, and every class at the end."""
    return (
        Section("verdict", "Verdict", (*_verdict(result), _intervals(result))),
        Section(
            ERRORS,
            "Errors",
            (drawn.cards(ERRORS), _groups(result), _sizes(result)),
            reading="What is wrong with the detections, how often, and what it costs in AP.",
            guide=GUIDE,
        ),
        Section(
            REPAIRS,
            "Repairs",
            (drawn.cards(REPAIRS), _orders(result)),
            reading="What mending each kind of error would bring, alone and after others.",
            guide=GUIDE,
        ),
        objects_section(result.sensitivity, drawn),
        Section(
            SIDE_BY_SIDE,
            "Schemes side by side",
            (drawn.cards(SIDE_BY_SIDE), _counts(result)),
            reading="The same detections and objects under each scheme: where the four agree, a "
            "finding does not rest on a definition.",
            guide=GUIDE,
        ),
        Section(
            "classes",
            "Classes",
            (_classes(result),),
            reading="Shares of the top false positives of a class by kind; further, the AP that "
            "repairing each of TIDE's errors would bring (+), and the classes that its top false "
            "positives fall on.",
            guide=GUIDE,
        ),
    )


def _verdict(result: DiagnosisResult) -> tuple[str, ...]:
    verdict, n = result.verdict, result.tide.n
    numbers = [(name, decimal(value)) for name, value in result.metrics.items()]
    numbers += [("wrong detections", f"{n['fp']:,}"), ("objects not found", f"{n['fn']:,}")]
    most = max((row.gain for row in verdict.findings), default=0.0)
    items = "".join(_finding(row, most) for row in verdict.findings)
    return (
        tiles(numbers),
        paragraph(verdict.summary, "lead"),
        f'<ol class="findings">\n{items}</ol>\n' if items else "",
        *(paragraph(text) for text in verdict.objects),
    )


def _finding(row: Finding, most: float) -> str:
    style = f"--share: {row.gain / most:.1%}; --colour: {kind_of(row.error).colour}"
    # Every order of repairs: how far the gain can be trusted.
    orders = (
        f"Over all orders of repairs: mean +{decimal(row.mean)}, from +{decimal(row.lowest)} "
        f"to +{decimal(row.highest)}"
    )
    return f"""<li style="{style}"><span class="gain">+{decimal(row.gain)}</span>
<div><div class="bar"><i></i></div>{paragraph(row.sentence)}{paragraph(orders, "legend")}</div></li>
"""


def _intervals(result: DiagnosisResult) -> str:
    """How sure the main numbers are, if it was asked for."""
    found = result.intervals
    if found is None:
        return ""
    return table(
        ["number", "value", "from", "to", "standard error"],
        [
            [
                text_cell(name),
                *(score_cell(value) for value in (one.value, one.low, one.high, one.se)),
            ]
            for name, one in found.named().items()
        ],
        caption=f"{100 * found.choice.level:g} % intervals, by resampling images",
    )


def _groups(result: DiagnosisResult) -> str:
    sets = result.hoiem.sets
    if len(sets) < 2:
        return ""
    rows = []
    for row in sets:
        total = sum(row.top_fp.values())
        rows.append(
            [
                text_cell(row.name),
                count_cell(len(row.classes)),
                score_cell(row.ap),
                score_cell(row.ap_n),
                *(share_cell(row.top_fp[kind], total) for kind in FP_KINDS),
            ]
        )
    headings = ["group", "classes", "AP", "AP_N", *(kind_of(kind).label for kind in FP_KINDS)]
    return table(headings, rows, caption="Top false positives by group of classes")


def _sizes(result: DiagnosisResult) -> str:
    analyze = result.coco_analyze
    rows = [
        [text_cell(SIZES.get(area, area)), *map(score_cell, analyze.mean_ap[:, at].tolist())]
        for at, area in enumerate(analyze.areas)
    ]
    caption = "Area under COCO's curves, each forgiving one more kind of error, by size of object"
    return table(["objects", *analyze.curve_names], rows, caption=caption)


def _orders(result: DiagnosisResult) -> str:
    schemes = (("hoiem", result.hoiem), ("tide", result.tide), ("borji", result.borji))
    rows = [
        [
            text_cell(SCHEME_NAMES[name]),
            text_cell(kind_of(row.name).label),
            *map(score_cell, (row.first, row.last, row.lowest, row.highest, row.mean)),
            share_cell(row.share_largest, 1),
        ]
        for name, scheme in schemes
        for row in scheme.orders
    ]
    headings = ["scheme", "repair", "first", "last", "lowest", "highest", "mean", "brings most in"]
    caption = "AP gained by each repair, over all orders of the repairs of a scheme"
    return table(headings, rows, caption=caption)


def _counts(result: DiagnosisResult) -> str:
    counts = result.crosswalk.counts()
    rows = [
        [text_cell(SCHEME_NAMES[scheme]), text_cell(what), text_cell(label), count_cell(n)]
        for scheme in SCHEMES
        for what, labels in counts[scheme].items()
        for label, n in labels.items()
    ]
    shown = table(["scheme", "of", "label", "number"], rows, caption="Labels")
    summary = "How many detections and objects each scheme puts under each label"
    return (
        notes(["All pairs of schemes are in tables/crosswalk.parquet."])
        + f"<details><summary>{summary}</summary>{shown}</details>\n"
    )


def _classes(result: DiagnosisResult) -> str:
    rows = []
    for hoiem, tide, score in zip(
        result.hoiem.classes, result.tide.classes, result.sensitivity.classes, strict=True
    ):
        total = sum(hoiem.top_fp.values())
        rows.append(
            [
                text_cell(hoiem.name),
                count_cell(hoiem.n_objects),
                score_cell(hoiem.ap),
                score_cell(hoiem.ap_n),
                share_cell(score.n_missed, score.n_objects),
                *(share_cell(hoiem.top_fp[kind], total) for kind in FP_KINDS),
                count_cell(hoiem.n_detections),
                *(score_cell(tide.gain[kind]) for kind in TIDE_KINDS),
                text_cell(", ".join(f"{one.other} {one.share:.0%}" for one in hoiem.confusions)),
            ]
        )
    first = ["class", "objects", "AP", "AP_N", "undetected"]
    first += [kind_of(kind).label for kind in FP_KINDS]
    further = ["detections", *(f"+{kind_of(kind).label}" for kind in TIDE_KINDS), "lies on"]
    return table([*first, *further], rows, caption="Every class", wide=True, n_shown=len(first))
