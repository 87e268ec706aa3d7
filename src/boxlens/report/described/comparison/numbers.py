"""Every metric of every detector, and the difference of every two, overall and by class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from boxlens.report.charts.colours import DARK_BLUE, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.forms.tables import table_columns, table_rows
from boxlens.report.charts.selecting import picks
from boxlens.report.described.comparison.pairs import (
    ENDS,
    about_all,
    colour_of,
    difference_columns,
    ends_columns,
    forest,
    of_pair,
)
from boxlens.report.described.evaluation.scores import whole_and_classes
from boxlens.report.study import (
    COUNT,
    P_VALUE,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Note,
    Part,
    Plot,
    Section,
    Table,
    table_of,
)
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import MOST_DETECTORS, LeadingPair
from boxlens.studies.comparison.league import LeagueRow
from boxlens.studies.comparison.paired import ClassPair, PairResult
from boxlens.studies.comparison.verdict import pair_sentences
from boxlens.wording import count, counted, number, p_value

# Rows of figures: the best detectors, and the clearest differences of classes.
MOST_ROWS, MOST_CLASSES = 20, 30
# Classes that differ, where there is little room.
FEW_CLASSES = 10


def numbers_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    adjusted = "p adjusted: p after Holm's adjustment for all pairs of detectors. "
    n_more = len(result.headline) - len(pairs)
    others = Note(
        f"{counted(n_more, 'more pair')} of detectors: figures and tables here are of the best "
        f"{MOST_DETECTORS} detectors; the files in tables/ have every pair."
    )
    return Section(
        "numbers",
        "Numbers",
        (
            _league_plot(result),
            *(
                of_pair(pair, result, plot(result, pair))
                for pair in pairs
                for plot in (_pair_plot, _class_plot)
            ),
            *[others] * bool(n_more),
            _league(result),
            *(_pair_table(result, pair) for pair in pairs),
            Table("pairs", "", result.pairs, _pair_columns(result, pairs[0])),
            _detectors(result),
        ),
        reading="Each difference is the first detector minus the second. p: by resampling images; "
        "p exchange: by exchanging the two detectors' detections image by image. "
        f"{adjusted * (len(result.detectors) > 2)}Detectable: a true difference that would be "
        "detected on four of five such test sets. First ahead: the share of resampled test sets "
        "in which the first detector is ahead. p is not adjusted for the number of metrics.",
        findings=pair_sentences(result),
    )


def classes_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    return Section(
        "classes",
        "Classes",
        (
            *(part for pair in pairs for part in _class_table(result, pair, pairs[0])),
            Table("classes", "", result.classes, _class_columns(result, pairs[0])),
        ),
        reading="With many classes some differ by chance: p adjusted takes all of them into "
        "account.",
    )


def _league(result: ComparisonResult) -> Table[LeagueRow]:
    metric = result.league.metric
    return Table(
        "",
        f"{metric} of each detector; those that share a letter cannot be told apart",
        result.league.rows,
        [
            Column("", "detector", lambda row: row.name, TEXT),
            Column("", metric, lambda row: row.score.value),
            *ends_columns(lambda row: row.score, result),
            Column("", "group", lambda row: row.letters, TEXT),
        ],
    )


def _league_plot(result: ComparisonResult) -> Plot:
    league = result.league
    known = [row for row in league.rows if not math.isnan(row.score.value)]
    shown, n_undefined = known[:MOST_ROWS], len(league.rows) - len(known)
    cut = f" The best {len(shown)} of {len(known)}." * (len(shown) < len(known))
    undefined = f" Undefined for {n_undefined} more." * (n_undefined > 0)

    def draw() -> Spec:
        table, metric = replace(_league(result), rows=shown), league.metric
        rows = table_rows(table, row="detector", value=metric, low="low", high="high")
        ends = around(row[key] for row in rows for key in ("value", "low", "high"))
        return name_rows(
            rows,
            Names.of([row["row"] for row in rows], characters=22),
            Axis(metric, ends, ticks=4),
            spans(color=SOFT_INK),
            dots("value", size=44, color=DARK_BLUE),
            width=140,
            columns=table_columns(table, "detector", metric, "group"),
        )

    return Plot(
        "league",
        f"{league.metric} of each detector, and which can be told apart",
        "Overlapping intervals do not mean that detectors are equal: go by the letters, which rest "
        "on differences over the same images.",
        draw,
        legend="Line: interval. Detectors that share a letter cannot be told apart: the p of "
        "their difference, adjusted for all pairs, is not below "
        f"{number(league.alpha)}.{cut}{undefined}",
        about=about_all(result),
        absent="" if known else f"{league.metric} is undefined",
    )


def _pair_table(result: ComparisonResult, pair: LeadingPair) -> Table[PairResult]:
    caption = f"Every metric: {' - '.join(pair.names)}"
    return Table("", caption, pair.numbers, _pair_columns(result, pair), wide=True)


def _pair_columns(result: ComparisonResult, pair: LeadingPair) -> list[Column[PairResult]]:
    first, second = result.detectors[pair.first], result.detectors[pair.second]
    # Of one pair it is p.
    adjusted = "p adjusted" * (len(result.detectors) > 2)
    return [
        Column("a", "", lambda row: row.a, TEXT),
        Column("b", "", lambda row: row.b, TEXT),
        Column("metric", "metric", lambda row: row.metric, TEXT),
        Column("", first.name, lambda row: first.metrics[row.metric]),
        Column("", second.name, lambda row: second.metrics[row.metric]),
        *difference_columns(result),
        Column("p_bootstrap", "p", lambda row: row.p_bootstrap, P_VALUE),
        Column("p_permutation", "p exchange", lambda row: row.p_permutation, P_VALUE),
        Column("p_holm", adjusted, lambda row: row.p_holm, P_VALUE),
        Column("detectable", "detectable", lambda row: row.detectable),
        Column("share_a_ahead", "first ahead", lambda row: row.share_a_ahead, SHARE, further=True),
    ]


def _pair_plot(result: ComparisonResult, pair: LeadingPair) -> Plot:
    """One row per metric; the band is what would probably not be shown."""
    alpha, n_pairs = result.choice.alpha, len(result.headline)
    known = [row for row in pair.numbers if not math.isnan(row.difference.value)]
    unknown = [row.metric for row in pair.numbers if math.isnan(row.difference.value)]
    adjusted = f", adjusted for {n_pairs} pairs" if n_pairs > 1 else ""
    undefined = f" Undefined: {', '.join(unknown)}." if unknown else ""

    def draw() -> Spec:
        table = replace(_pair_table(result, pair), rows=known)
        rows = table_rows(table, name="metric", p="p_holm", detectable="detectable", **ENDS)
        for row in rows:
            row["colour"] = colour_of(row["value"], decided=row["p"] < alpha)
            row |= {"undetectable": -row["detectable"], "beside": p_value(row["p"])}
        return forest(rows, pair.names, "difference", "p", row_px=18)

    return Plot(
        "differences",
        "Difference of every metric",
        "A coloured line is a difference beyond chance. A grey one inside the band may be real, "
        "but too small for this test set to show.",
        draw,
        legend=f"Coloured: p below {number(alpha)} (resampled images{adjusted}). Line: interval. "
        f"Grey band: too small to be detected reliably with this test set.{undefined}",
        absent="" if known else "every metric is undefined",
    )


def _detectors(result: ComparisonResult) -> Table[Any]:
    """Every metric of every detector, over all classes (no class) and by class."""
    numbers = ("value", "low", "high", "se", "se_jackknife", "bias", "n_undefined")
    forms = dict.fromkeys(("detector", "class", "metric"), TEXT) | dict.fromkeys(numbers, SCORE)
    forms |= {"n_undefined": COUNT, "n_detections": COUNT, "min_score": SCORE}
    rows = (
        (one.name, name, metric, *(getattr(found, key) for key in numbers), of.n_detections, cut)
        for one, cut in zip(result.detectors, result.min_score, strict=True)
        for name, of in whole_and_classes(one)
        for metric, found in (of.intervals or {}).items()
    )
    return table_of("detectors", "", forms, rows)


def _class_table(result: ComparisonResult, pair: LeadingPair, first: LeadingPair) -> Iterator[Part]:
    differ = [row for row in pair.classes if row.p_holm < result.choice.alpha]
    n_tested = sum(not math.isnan(row.p) for row in pair.classes)
    if pair.classes:
        yield Note(
            f"{len(differ):,} of {counted(n_tested, 'class', 'classes')} differ in AP between "
            f"{' and '.join(pair.names)} after Holm's adjustment."
        )
    yield Table(
        "",
        f"AP of every class: {' - '.join(pair.names)}",
        pair.classes,
        _class_columns(result, pair),
        brief=sorted(differ, key=lambda row: -abs(row.difference.value))[:FEW_CLASSES],
        wide=True,
        folded=pair is not first,
    )


def _class_columns(result: ComparisonResult, pair: LeadingPair) -> list[Column[ClassPair]]:
    first, second = result.detectors[pair.first], result.detectors[pair.second]
    ap = [{row.name: row.metrics["AP"] for row in one.classes} for one in (first, second)]
    return [
        Column("a", "", lambda row: row.a, TEXT),
        Column("b", "", lambda row: row.b, TEXT),
        Column("class", "class", lambda row: row.name, TEXT),
        Column("n_objects", "objects", lambda row: row.n_objects, COUNT),
        Column("n_images", "images", lambda row: row.n_images, COUNT),
        Column("", first.name, lambda row: ap[0].get(row.name)),
        Column("", second.name, lambda row: ap[1].get(row.name)),
        *difference_columns(result),
        Column("p", "p", lambda row: row.p, P_VALUE),
        Column("p_permutation", "p exchange", lambda row: row.p_permutation, P_VALUE, further=True),
        Column("p_holm", "p adjusted", lambda row: row.p_holm, P_VALUE),
        Column("detectable", "detectable", lambda row: row.detectable),
    ]


def _class_plot(result: ComparisonResult, pair: LeadingPair) -> Plot:
    """One row per class; of many, the clearest."""
    alpha = result.choice.alpha
    known = [row for row in pair.classes if not math.isnan(row.difference.value)]
    clearest = sorted(known, key=_clearness, reverse=True)[:MOST_CLASSES]
    shown = sorted(clearest, key=lambda row: -row.difference.value)
    n_differ = sum(row.p_holm < alpha for row in known)
    n_untested = sum(math.isnan(row.p) for row in known)
    untested = f" {n_untested} are in too few images to be tested."
    cut = (
        f" Shown are the {len(shown)} with the largest differences in standard errors, then those "
        "not tested, in the order of the difference."
    )

    def draw() -> Spec:
        table = Table("", "", shown, _class_columns(result, pair))
        rows = table_rows(table, name="class", p="p_holm", n="n_objects", **ENDS)
        for row in rows:
            row["colour"] = colour_of(row["value"], decided=row["p"] < alpha)
            row["beside"] = count(row["n"])
            row.update(picks(row["name"], None, of="objects", terms={"class": row["name"]}))
        return forest(rows, pair.names, "difference in AP", "objects")

    return Plot(
        "class_differences",
        "Difference by class",
        "Coloured classes differ beyond chance even though many were tested; grey ones may differ "
        "by chance.",
        draw,
        legend=f"Coloured: p below {number(alpha)} after Holm's adjustment ({n_differ} of "
        f"{counted(len(known), 'class', 'classes')}).{untested * (n_untested > 0)}"
        f"{cut * (len(shown) < len(known))}",
        absent="" if known else "no class has objects that count",
    )


def _clearness(row: ClassPair) -> tuple[bool, float]:
    """By the difference in standard errors; classes that were not tested last, by theirs in AP."""
    tested, size, se = not math.isnan(row.p), abs(row.difference.value), row.difference.se
    return tested, size / se if tested and se > 0 else size
