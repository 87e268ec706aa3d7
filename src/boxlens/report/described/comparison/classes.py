"""AP of every class for two detectors, and which classes differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.charts.selecting import picks
from boxlens.report.described.comparison.pairs import (
    ENDS,
    GUIDE,
    colour_of,
    difference_columns,
    forest,
)
from boxlens.report.study import COUNT, P_VALUE, TEXT, Column, Note, Part, Plot, Section, Table
from boxlens.studies.comparison import ComparisonResult
from boxlens.studies.comparison.leading_pairs import LeadingPair
from boxlens.studies.comparison.paired import ClassPair
from boxlens.wording import counted, number

# Of a figure: the clearest differences; of a table where there is little room: the largest.
MOST_CLASSES, FEW_CLASSES = 30, 10


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
        guide=GUIDE,
    )


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


def class_plot(result: ComparisonResult, pair: LeadingPair) -> Plot:
    """One row per class; of many, the clearest."""
    alpha = result.choice.alpha
    known = [row for row in pair.classes if not math.isnan(row.difference.value)]
    clearest = sorted(known, key=_clearness, reverse=True)[:MOST_CLASSES]
    shown = sorted(clearest, key=lambda row: -row.difference.value)
    n_differ = sum(row.p_holm < alpha for row in known)
    n_untested = sum(math.isnan(row.p) for row in known)
    untested = f" {n_untested} are in too few images to be tested."
    cut = (
        f" Shown are the {len(shown)} with the largest differences in standard errors, in the "
        "order of the difference."
    )

    def draw() -> Spec:
        table = Table("", "", shown, _class_columns(result, pair))
        rows = table_rows(table, name="class", p="p_holm", n="n_objects", **ENDS)
        for row in rows:
            row["colour"] = colour_of(row["value"], decided=row["p"] < alpha)
            row["beside"] = row["tip"]["objects"]
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
