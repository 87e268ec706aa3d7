"""Every metric of every detector, and the difference of every two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from boxlens.report.charts.colours import DARK_BLUE, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names, around
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import dots, spans
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.forms.tables import table_columns, table_rows
from boxlens.report.described.comparison.classes import class_plot
from boxlens.report.described.comparison.pairs import (
    ENDS,
    GUIDE,
    about_all,
    colour_of,
    difference_columns,
    forest,
    interval_heading,
    of_pair,
    several,
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
    Plot,
    Section,
    Table,
    interval_columns,
    table_of,
)
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import MOST_DETECTORS, LeadingPair
from boxlens.studies.comparison.league import LeagueRow
from boxlens.studies.comparison.paired import PairResult
from boxlens.wording import counted, number, p_value

# Rows of the league's figure.
MOST_ROWS = 20


def numbers_section(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Section:
    adjusted = "p adjusted: p after Holm's adjustment for all pairs of detectors. "
    return Section(
        "numbers",
        "Numbers",
        (
            _league_plot(result),
            *(
                of_pair(pair, result, plot(result, pair))
                for pair in pairs
                for plot in (_pair_plot, class_plot)
            ),
            *_more_pairs(result, pairs),
            _league(result),
            *(_pair_table(result, pair) for pair in pairs),
            Table("pairs", "", result.pairs, _pair_columns(result, pairs[0])),
            _detectors(result),
        ),
        reading="Each difference is the first detector minus the second. p: by resampling images; "
        "p exchange: by exchanging the two detectors' detections image by image. "
        f"{adjusted if several(result) else ''}Detectable: a true difference that would be "
        "detected on four of five such test sets. First ahead: the share of resampled test sets "
        "in which the first detector is ahead. p is not adjusted for the number of metrics.",
        guide=GUIDE,
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
            *interval_columns(
                lambda row: (row.score.low, row.score.high), interval_heading(result)
            ),
            Column("", "group", lambda row: row.letters, TEXT),
        ],
    )


def _league_plot(result: ComparisonResult) -> Plot:
    league = result.league
    known = [row for row in league.rows if not math.isnan(row.score.value)]
    shown, n_undefined = known[:MOST_ROWS], len(league.rows) - len(known)
    cut = f" The best {len(shown)} of {len(known)}." * (len(shown) < len(known))
    undefined = f" Undefined for {n_undefined} more." * (n_undefined > 0)
    return Plot(
        "league",
        f"{league.metric} of each detector, and which can be told apart",
        "Overlapping intervals do not mean that detectors are equal: go by the letters, which rest "
        "on differences over the same images.",
        partial(_draw_league, replace(_league(result), rows=shown), league.metric),
        legend="Line: interval. Detectors that share a letter cannot be told apart: the p of "
        "their difference, adjusted for all pairs, is not below "
        f"{number(league.alpha)}.{cut}{undefined}",
        about=about_all(result),
        absent="" if known else f"{league.metric} is undefined",
    )


def _draw_league(table: Table[LeagueRow], metric: str) -> Spec:
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


def _pair_table(result: ComparisonResult, pair: LeadingPair) -> Table[PairResult]:
    caption = f"Every metric: {' - '.join(pair.names)}"
    return Table("", caption, pair.numbers, _pair_columns(result, pair), wide=True)


def _pair_columns(result: ComparisonResult, pair: LeadingPair) -> list[Column[PairResult]]:
    first, second = result.detectors[pair.first], result.detectors[pair.second]
    return [
        Column("a", "", lambda row: row.a, TEXT),
        Column("b", "", lambda row: row.b, TEXT),
        Column("metric", "metric", lambda row: row.metric, TEXT),
        Column("", first.name, lambda row: first.metrics[row.metric]),
        Column("", second.name, lambda row: second.metrics[row.metric]),
        *difference_columns(result),
        Column("p_bootstrap", "p", lambda row: row.p_bootstrap, P_VALUE),
        Column("p_permutation", "p exchange", lambda row: row.p_permutation, P_VALUE),
        # Of one pair it is p.
        Column("p_holm", "p adjusted" if several(result) else "", lambda row: row.p_holm, P_VALUE),
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
    forms = {
        **dict.fromkeys(("detector", "class", "metric"), TEXT),
        **dict.fromkeys(numbers, SCORE),
        "n_undefined": COUNT,
        "n_detections": COUNT,
        "min_score": SCORE,
    }
    rows = (
        (one.name, name, metric, *(getattr(found, key) for key in numbers), of.n_detections, cut)
        for one, cut in zip(result.detectors, result.min_score, strict=True)
        for name, of in whole_and_classes(one)
        for metric, found in (of.intervals or {}).items()
    )
    return table_of("detectors", "", forms, rows)


def _more_pairs(result: ComparisonResult, pairs: Sequence[LeadingPair]) -> Iterator[Note]:
    n_more = len(result.headline) - len(pairs)
    if n_more:
        yield Note(
            f"{counted(n_more, 'more pair')} of detectors: figures and tables here are of the best "
            f"{MOST_DETECTORS} detectors; the files in tables/ have every pair."
        )
