"""Oracles: do proposals or suppression hold detectors back, and how do they score near objects?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from boxlens.report.charts.colours import INK, NEUTRAL, SOFT_INK
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.choosing import first_of
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.forms.marks import SMALL_PX, bars, rule_at, words
from boxlens.report.charts.forms.panels import Series, below, name_rows
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.charts.kinds import KINDS
from boxlens.report.described.oracles.scores import scores_section
from boxlens.report.study import (
    CHANGE,
    COUNT,
    SCORE,
    TEXT,
    Column,
    Form,
    Plot,
    Section,
    Study,
    Table,
    file_name,
    table_of,
)
from boxlens.studies.proposals.detection_use.oracle_result import (
    ORACLE_WORDS,
    DetectorOracles,
    OracleScore,
    ProposalOracleResult,
)
from boxlens.studies.proposals.detection_use.verdict import oracle_sentences
from boxlens.wording import counted, listed, score

# The methods of every detector, best first.
Ranked = Sequence[Sequence[DetectorOracles]]
# Groups of bars of a figure.
MOST_GROUPS: Final = 10
# Perfect suppression takes away duplicates, and has their colour.
COLOURS: Final[Mapping[str, str]] = {
    "raw": NEUTRAL,
    "none": NEUTRAL,
    "gt": KINDS["loc"].colour,
    "nms": KINDS["dupe"].colour,
    "gt+nms": KINDS["correct"].colour,
}


def study(result: ProposalOracleResult) -> Study:
    detectors = [one.detector for one in result.scores]
    methods = {one.method for one in result.oracles if one.method}
    # By AP50 without an oracle; undefined is the least.
    ordered = sorted(result.oracles, key=lambda one: (math.isnan(ap := one.unaided.ap50), -ap))
    ranked = [[one for one in ordered if one.detector == name] for name in detectors]
    oracles, *classes = _tables(ranked, proposed=bool(methods))
    budget = result.parameters.get("budget")
    return Study(
        title=f"Oracles for {listed(detectors, 3, 'detectors')}",
        data=result.dataset["name"],
        facts=(
            counted(len(detectors), "detector"),
            f"{counted(len(methods), 'method')} of proposals" if methods else "no proposals",
            *([] if budget is None else [f"at most {counted(budget, 'proposal')} per image"]),
        ),
        sentences=tuple(oracle_sentences(result)) or ("There are no detectors.",),
        tiles=tuple(tile for one in ranked for tile in _tiles(one)),
        sections=(
            Section(
                "oracles",
                "Oracles",
                (*_plots(result, ranked if methods else [ordered], oracles), oracles, *classes),
                "Perfect proposals: detections near objects are kept as well, wrong ones, too. "
                "Perfect suppression: false positives that overlap a true positive of their class "
                "are removed. Gained: AP50 beyond that without an oracle.",
            ),
            scores_section(result),
        ),
        main_table="AP50 with each oracle",
        main_plot="oracles",
        guide="proposals",
    )


def _tiles(ranked: Sequence[DetectorOracles]) -> Iterator[tuple[str, float, Form]]:
    """Without an oracle and with all, on the proposals that the detector does best on."""
    one = ranked[0]
    who = f"{one.detector} on {one.method}" if one.method else one.detector
    best = f" (best of {len(ranked)})" if len(ranked) > 1 else ""
    oracles = "both oracles" if one.method else ORACLE_WORDS["nms"]
    yield f"AP50, {who}{best}", one.unaided.ap50, SCORE
    yield f"AP50 with {oracles}, {one.detector}", one.scores[-1].ap50, SCORE


class _Row(NamedTuple):
    """A detector with the proposals of a method and an oracle."""

    of: DetectorOracles
    score: OracleScore

    @property
    def gain(self) -> float | None:
        aided = self.score.oracle not in ("raw", "none")
        return self.score.ap50 - self.of.unaided.ap50 if aided else None


def _tables(ranked: Ranked, *, proposed: bool) -> Iterator[Table[Any]]:
    """Every oracle, then class by class."""
    rows = [_Row(one, score) for mine in ranked for one in mine for score in one.scores]
    yield Table(
        "oracles",
        "AP50 with each oracle",
        rows,
        [
            Column("detector", "detector", lambda row: row.of.detector, TEXT),
            Column("method", "proposals" * proposed, lambda row: row.of.method or None, TEXT),
            Column("budget", "", lambda row: row.of.budget, COUNT),
            Column("oracle", "", lambda row: row.score.oracle, TEXT),
            Column("", "oracle", lambda row: ORACLE_WORDS[row.score.oracle], TEXT),
            Column("AP50", "AP50", lambda row: row.score.ap50),
            Column("", "gained", lambda row: row.gain, CHANGE),
            Column("AP", "AP", lambda row: row.score.ap),
            Column("n_detections", "detections", lambda row: row.score.n_detections, COUNT),
        ],
        folded=proposed,
    )
    # With the proposals that each detector does best on.
    for best, *_ in ranked:
        on = f" on {best.method}" if best.method else ""
        yield table_of(
            "",
            f"AP50 of every class, {best.detector}{on}",
            {"class": TEXT, **{ORACLE_WORDS[score.oracle]: SCORE for score in best.scores}},
            (
                (name, *(score.class_ap50.get(name) for score in best.scores))
                for name in best.scores[0].class_ap50
            ),
            folded=True,
            detail=True,
        )
    forms = {"detector": TEXT, "method": TEXT, "budget": COUNT, "oracle": TEXT, "class": TEXT}
    classes = (
        (of.detector, of.method or None, of.budget, score.oracle, name, ap)
        for of, score in rows
        for name, ap in score.class_ap50.items()
    )
    yield table_of("oracle_classes", "", {**forms, "AP50": SCORE}, classes)


def _plots(result: ProposalOracleResult, figures: Ranked, table: Table[_Row]) -> Iterator[Plot]:
    """One per detector; without proposals one for all."""
    proposed = any(one.method for one in result.oracles)
    legend = "AP at IoU 0.5, and what each oracle adds."
    if proposed:
        legend += (
            " Grey: detections near a proposal, after suppression. Dashed: all detections as given."
        )
    for at, mine in enumerate(figures):
        known = [one for one in mine if not any(math.isnan(score.ap50) for score in one.scores)]
        shown = [_Row(one, score) for one in known[:MOST_GROUPS] for score in one.scores]
        detectors = list(dict.fromkeys(one.detector for one in mine))
        suffix = f": {detectors[0]}" if len(figures) > 1 else ""
        whose = "methods" if proposed else "detectors"
        yield Plot(
            f"oracles_{file_name(detectors[0])}" if proposed else "oracles",
            f"AP50 with perfect proposals and perfect suppression{suffix}",
            "Dark blue much longer than grey: look for better proposals. Light blue much longer: "
            "improve suppression. What green leaves open, neither can fix."
            if proposed
            else "The longer the blue bar beyond the grey one, the more duplicates beside true "
            "positives cost.",
            partial(_draw, replace(table, rows=shown), proposed=proposed),
            legend=legend + first_of(MOST_GROUPS, len(known), whose, "best"),
            about=f"{listed(detectors, 2, 'detectors')} on {result.dataset['name']}",
            absent="" if known else "no class has objects",
            # Of figures two per line, the first of an odd number has a line to itself.
            wide=at == 0 and len(figures) % 2 == 1,
        )


def _draw(table: Table[_Row], *, proposed: bool) -> Spec:
    """One group per method of one detector; or one per detector, where there are no proposals."""
    of = "method" if proposed else "detector"
    oracles = ("none", "gt", "nms", "gt+nms") if proposed else ("raw", "nms")
    found = table_rows(table, row=of, series="oracle", value="AP50", gain="gained")
    rows = []
    for row in found:
        if row["series"] in oracles:
            told = row["tip"]
            text = told["AP50"] + ("" if row["gain"] is None else f"  ({told['gained']})")
            rows.append({**row, "colour": COLOURS[row["series"]], "text": text})
    # What the detector reaches without any proposals.
    raw = next(row["value"] for row in found if row["series"] == "raw") if proposed else 0.0
    as_given = rule_at(raw, f"as given {score(raw)}", color=SOFT_INK, strokeDash=[3, 2])
    groups = dict.fromkeys(row["row"] for row in rows)
    width = 230
    panel = name_rows(
        rows,
        Names.of(groups, px=12 * len(oracles) + 8, characters=18, gap=0.14),
        Axis("AP50", (0, max([raw, *(row["value"] for row in rows)]) or 1.0)),
        bars("value"),
        *(as_given if proposed else ()),
        # In a column: at the ends of the bars, the line of what was given would cross them.
        words(value=width + 8, align="left", fontSize=SMALL_PX, color=INK),
        width=width,
        series=Series(oracles, outer=0, inner=0.1),
    )
    named = key({ORACLE_WORDS[name]: COLOURS[name] for name in oracles}, width=340)
    return below(*named, panel, gap=6)
