"""A search for settings as a page: what was gained, whether it holds, and what was tried."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from boxlens.proposals.tuning.verdict import tuning_sentences
from boxlens.report.charts.detector_pair import signed
from boxlens.report.charts.method_lines import count_text
from boxlens.report.charts.theme import decimal
from boxlens.report.pages.markup import (
    NOTHING,
    Cell,
    count_cell,
    counted,
    paragraph,
    score_cell,
    table,
    text_cell,
    tiles,
)
from boxlens.report.pages.page import Section, page, provenance_section
from boxlens.report.pages.recall_page_tables import folded_table
from boxlens.report.planning.tuning_figures import SETTINGS, TRIALS

if TYPE_CHECKING:
    from boxlens.proposals.tuning.result import ProposalTuningResult, Trial
    from boxlens.report.pages.page import DrawnPlan

GUIDE = "proposals"


def tuning_page(result: ProposalTuningResult, document: dict[str, Any], drawn: DrawnPlan) -> str:
    """`document` is what results.json holds."""
    about = (
        f"{counted(len(result.trials), 'trial')}, at most {counted(result.budget, 'proposal')} a "
        f"picture; {counted(result.n_held_out, 'picture')} held out"
    )
    sections = [
        _summary(result),
        Section(
            TRIALS,
            "Trials",
            (drawn.cards(TRIALS), _gains_table(result), _trials_table(result)),
            reading="The best of many trials is flattered by having been chosen: what it is worth "
            "is told by pictures that were held out.",
            guide=GUIDE,
        ),
        Section(
            SETTINGS,
            "Settings",
            (drawn.cards(SETTINGS), _settings_table(result)),
            reading="What was varied, and where the best trial lies.",
            guide=GUIDE,
        ),
        provenance_section(document),
    ]
    title = f"Tuning of {result.method}", counted(result.n_tuned_on, "picture")
    return page(title, about, sections)


def _summary(result: ProposalTuningResult) -> Section:
    first, *others = tuning_sentences(result)
    numbers = [
        ("AR before", result.trials[0].ar),
        ("AR of the best", result.trials[result.best].ar),
        ("AR before, held out", result.held_out_before),
        ("AR after, held out", result.held_out_after),
    ]
    shown = [(name, decimal(value)) for name, value in numbers if not math.isnan(value)]
    parts = (
        tiles(shown) if shown else "",
        paragraph(first, "lead"),
        *(paragraph(text) for text in others),
    )
    return Section("summary", "Summary", parts)


def _gains_table(result: ProposalTuningResult) -> str:
    first, best = result.trials[0], result.trials[result.best]
    measured = [
        ("tuned on", result.n_tuned_on, first.ar, best.ar),
        ("held out", result.n_held_out, result.held_out_before, result.held_out_after),
    ]
    rows = [
        [
            text_cell(name),
            count_cell(n_pictures),
            score_cell(before),
            score_cell(after),
            Cell(NOTHING) if math.isnan(gain := after - before) else Cell(signed(gain), gain),
        ]
        for name, n_pictures, before, after in measured
    ]
    headings = ["pictures", "number", "AR before", "AR after", "gained"]
    return table(headings, rows, caption="What tuning brings")


def _trials_table(result: ProposalTuningResult) -> str:
    names = list(result.trials[0].settings)
    rows = [
        [
            count_cell(one.number),
            score_cell(one.ar, 4),
            score_cell(one.recall_50),
            Cell(count_text(one.n_mean), one.n_mean),
            score_cell(one.seconds_per_image),
            *(_setting(one, name) for name in names),
        ]
        for one in result.trials
    ]
    headings = ["trial", "AR", "recall at .5", "mean #", "s an image", *names]
    return folded_table(headings, rows, caption="Every trial")


def _settings_table(result: ProposalTuningResult) -> str:
    first, best = result.trials[0], result.trials[result.best]
    ranges = result.parameters.get("ranges", {})
    rows = [
        [
            text_cell(name),
            _setting(first, name),
            _setting(best, name),
            *(_number(end) for end in ranges.get(name, (math.nan, math.nan))),
        ]
        for name in first.settings
    ]
    headings = ["setting", "before", "best", "searched from", "to"]
    return table(headings, rows, caption="Settings before and after") if rows else ""


def _setting(trial: Trial, name: str) -> Cell:
    return _number(trial.settings.get(name, math.nan))


def _number(value: float) -> Cell:
    return Cell(NOTHING) if math.isnan(value) else Cell(f"{value:g}", float(value))
