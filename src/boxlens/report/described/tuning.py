"""A search for settings of a proposal method: what was gained, whether it holds, what was tried."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final

from boxlens.report.charts.colours import FIRST, NEUTRAL, SECOND, SOFT_INK
from boxlens.report.charts.forms.axes import COUNTS, Axis, around, round_powers, round_steps
from boxlens.report.charts.forms.keys import key
from boxlens.report.charts.forms.layers import Row, Spec
from boxlens.report.charts.forms.marks import dots, lines, rule_at
from boxlens.report.charts.forms.panels import below, grid, plot
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.study import (
    CHANGE,
    COUNT,
    FINE_SCORE,
    FLAG,
    MEAN_COUNT,
    NUMBER,
    SCORE,
    SECONDS,
    TEXT,
    Column,
    Plot,
    Section,
    Study,
    Table,
    columns_of,
    table_of,
)
from boxlens.studies.proposals.tuning.result import ProposalTuningResult, Trial
from boxlens.studies.proposals.tuning.verdict import tuning_sentences
from boxlens.wording import counted, score

# Colour and size of trials.
KINDS: Final = {"tried": (NEUTRAL, 16), "before": (SECOND, 44), "best": (FIRST, 44)}


def study(result: ProposalTuningResult) -> Study:
    trials = _trials(result)
    gains, settings = _before_and_after(result)
    trials_plot, settings_plot = _plots(result, trials)
    return Study(
        title=f"Tuning of {result.method}",
        data=counted(result.n_tuned_on, "picture"),
        facts=(
            counted(len(result.trials), "trial"),
            f"at most {counted(result.budget, 'proposal')} per picture",
            f"{counted(result.n_held_out, 'picture')} held out",
        ),
        sentences=tuple(tuning_sentences(result)),
        tiles=(
            ("AR before", result.trials[0].ar, SCORE),
            ("AR of the best", result.trials[result.best].ar, SCORE),
            ("AR before, held out", result.held_out_before, SCORE),
            ("AR after, held out", result.held_out_after, SCORE),
        ),
        sections=(
            Section(
                "trials",
                "Trials",
                (trials_plot, gains, trials),
                "The best of many trials looks better than it is because it was chosen: the "
                "pictures held out show what it is worth.",
            ),
            Section(
                "settings",
                "Settings",
                (settings_plot, settings),
                "What was varied, and where the best trial lies.",
            ),
        ),
        main_table="Every trial",
        guide="proposals",
    )


def _trials(result: ProposalTuningResult) -> Table[Trial]:
    ranked = sorted(result.trials, key=lambda one: (math.isnan(one.ar), -one.ar, one.number))
    # The best few and the first.
    brief = dict.fromkeys([*(one.number for one in ranked[:5]), 0])
    return Table(
        "trials",
        "Every trial",
        result.trials,
        [
            Column("trial", "trial", lambda one: one.number, COUNT),
            Column("best", "", lambda one: one is result.trials[result.best], FLAG),
            Column("AR", "AR", lambda one: one.ar, FINE_SCORE),
            Column("recall_0.5", "recall at 0.5", lambda one: one.recall_50),
            Column("n_mean", "proposals per image", lambda one: one.n_mean, MEAN_COUNT),
            Column(
                "seconds_per_image", "seconds per image", lambda one: one.seconds_per_image, SECONDS
            ),
            *columns_of(
                result.trials[0].settings,
                lambda one, name: one.settings.get(name),
                NUMBER,
                key="setting_",
                heading=str,
            ),
        ],
        brief=[result.trials[number] for number in brief],
        folded=True,
    )


def _before_and_after(result: ProposalTuningResult) -> Iterator[Table[Any]]:
    """What was gained, then by which settings."""
    first, best = result.trials[0], result.trials[result.best]
    forms = {"pictures": TEXT, "number": COUNT, "AR before": SCORE, "AR after": SCORE}
    gains = (
        ("tuned on", result.n_tuned_on, first.ar, best.ar),
        ("held out", result.n_held_out, result.held_out_before, result.held_out_after),
    )
    gained = ((*one, one[-1] - one[-2]) for one in gains)
    yield table_of("", "AR gained by tuning", {**forms, "gained": CHANGE}, gained)
    ranges = result.parameters.get("ranges", {})
    numbers = dict.fromkeys(("before", "best", "searched from", "to"), NUMBER)
    rows = (
        (name, value, best.settings.get(name), *ranges.get(name, (None, None)))
        for name, value in first.settings.items()
    )
    yield table_of("", "Settings before and after", {"setting": TEXT, **numbers}, rows)


def _plots(result: ProposalTuningResult, table: Table[Trial]) -> tuple[Plot, Plot]:
    """Of trials, and of settings."""
    first = result.trials[0].settings
    varied = [name for name in first if len({one.settings.get(name) for one in result.trials}) > 1]
    points = _points(result, table)
    # What is drawn last stands first.
    above = key({row["kind"]: row["colour"] for row in reversed(points)}, width=480)
    n_trials, n_boxes = counted(len(result.trials), "trial"), counted(result.budget, "proposal")
    about = f"{result.method}, {n_trials}, at most {n_boxes}"
    before, after = result.held_out_before, result.held_out_after
    held_out = "No pictures were held out."
    if not math.isnan(before + after):
        held_out = f"On {counted(result.n_held_out, 'picture')} held out: AR {score(before)} "
        held_out += f"before, {score(after)} after."
    return (
        Plot(
            "trials",
            "Average recall of every trial",
            "If the line has been level for long, more trials would add little. If it still rises, "
            "search on.",
            partial(_draw_trials, points, above),
            legend=f"On the pictures tuned on ({result.n_tuned_on:,}). Line: the best so far. "
            f"Dashed: the settings before. {held_out}",
            about=about,
            absent="" if points else "no trial has a number",
            wide=True,
        ),
        Plot(
            "settings",
            "Average recall against each setting",
            "A peak: the setting matters, and the peak is where to be. Points at one height: it "
            "does not matter.",
            partial(_draw_settings, points, above, varied),
            legend="One point per trial. All settings vary at once, so points scatter even where a "
            f"setting matters. {held_out}",
            about=about,
            absent="" if varied and points else "no setting was varied",
            wide=True,
        ),
    )


def _points(result: ProposalTuningResult, table: Table[Trial]) -> list[Row]:
    """Trials with a number; what is drawn last lies on top."""
    kinds = {0: "before", result.best: "best"}
    settings = {f"setting {name}": f"setting_{name}" for name in result.trials[0].settings}
    rows = table_rows(table, number="trial", ar="AR", **settings)
    return [
        {**row, "kind": kind, "colour": colour, "size": size}
        for kind, (colour, size) in KINDS.items()
        for row in rows
        if kinds.get(row["number"], "tried") == kind and not math.isnan(row["ar"])
    ]


def _draw_trials(points: Sequence[Row], above: Sequence[Spec]) -> Spec:
    """In the order they were tried; the line is the best so far."""
    in_order = sorted(points, key=lambda row: row["number"])
    best = accumulate((row["ar"] for row in in_order), max)
    so_far = [{"number": row["number"], "ar": ar} for row, ar in zip(in_order, best, strict=True)]
    # A few places more than there are trials, so that labels are whole numbers.
    last = max(in_order[-1]["number"], 4) + 0.5
    panel = plot(
        points,
        Axis("trial", (-0.5, last), ticks=8, form=COUNTS, grid=False),
        Axis("AR", around(row["ar"] for row in points)),
        *rule_at(in_order[0]["ar"], color=SECOND, strokeDash=[4, 3], strokeWidth=1),
        lines("ar", steps="after", rows=so_far, color=SOFT_INK, strokeWidth=1.25),
        dots("ar", size=0, opacity=0.9),
        along="number",
        width=480,
        height=240,
    )
    return below(*above, panel, gap=6)


def _draw_settings(points: Sequence[Row], above: Sequence[Spec], settings: Sequence[str]) -> Spec:
    """One panel per setting."""
    panels, scores = [], around(row["ar"] for row in points)
    for at, name in enumerate(settings):
        first = at % 3 == 0
        values = [row[f"setting {name}"] for row in points if row[f"setting {name}"] is not None]
        low, high = min(values), max(values)
        # A wide range is drawn by its logarithm.
        wide = low > 0 and high / low > 8
        panel = plot(
            points,
            Axis(
                ends=(low / 1.1, high * 1.1) if wide else around(values),
                values=round_powers(low, high) if wide else round_steps(low, high),
                kind="log" if wide else "linear",
                grid=False,
            ),
            Axis("AR" * first, scores, ticks=4, labels=first),
            dots("ar", size=0, opacity=0.9),
            along=f"setting {name}",
            title=name,
            width=180,
            height=130,
            framed=True,
        )
        panels.append(panel)
    return grid(panels, 3, above=above, gap=18)
