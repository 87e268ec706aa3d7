"""A search for settings of a proposal method: what was gained, whether it holds, what was tried."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from boxlens.report.charts.tuning_trials import tuning_settings_chart, tuning_trials_chart
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

# Of the best trials, where there is little room.
MOST_TRIALS = 5


def study(result: ProposalTuningResult) -> Study:
    first, best = result.trials[0], result.trials[result.best]
    trials = _trials(result)
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
            ("AR before", first.ar, SCORE),
            ("AR of the best", best.ar, SCORE),
            ("AR before, held out", result.held_out_before, SCORE),
            ("AR after, held out", result.held_out_after, SCORE),
        ),
        sections=(
            Section(
                "trials",
                "Trials",
                (trials_plot, _gains(result, first, best), trials),
                "The best of many trials looks better than it is because it was chosen: the "
                "pictures held out show what it is worth.",
            ),
            Section(
                "settings",
                "Settings",
                (settings_plot, _settings(result, first, best)),
                "What was varied, and where the best trial lies.",
            ),
        ),
        main_table="Every trial",
        guide="proposals",
    )


def _trials(result: ProposalTuningResult) -> Table[Trial]:
    ranked = sorted(result.trials, key=lambda one: (math.isnan(one.ar), -one.ar, one.number))
    brief = dict.fromkeys([*(one.number for one in ranked[:MOST_TRIALS]), 0])
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


def _gains(result: ProposalTuningResult, first: Trial, best: Trial) -> Table[Any]:
    forms = {"pictures": TEXT, "number": COUNT, "AR before": SCORE, "AR after": SCORE}
    gains = (
        ("tuned on", result.n_tuned_on, first.ar, best.ar),
        ("held out", result.n_held_out, result.held_out_before, result.held_out_after),
    )
    rows = ((*one, one[-1] - one[-2]) for one in gains)
    return table_of("", "AR gained by tuning", {**forms, "gained": CHANGE}, rows)


def _settings(result: ProposalTuningResult, first: Trial, best: Trial) -> Table[Any]:
    ranges = result.parameters.get("ranges", {})
    numbers = dict.fromkeys(("before", "best", "searched from", "to"), NUMBER)
    rows = (
        (name, value, best.settings.get(name), *ranges.get(name, (None, None)))
        for name, value in first.settings.items()
    )
    return table_of("", "Settings before and after", {"setting": TEXT, **numbers}, rows)


def _plots(result: ProposalTuningResult, table: Table[Trial]) -> tuple[Plot, Plot]:
    """Of trials, and of settings."""
    first = result.trials[0].settings
    varied = [
        name
        for name in first
        if any(one.settings.get(name) != first[name] for one in result.trials)
    ]
    known = not all(math.isnan(one.ar) for one in result.trials)
    n_trials, n_boxes = counted(len(result.trials), "trial"), counted(result.budget, "proposal")
    about = f"{result.method}, {n_trials}, at most {n_boxes}"
    return (
        Plot(
            "trials",
            "Average recall of every trial",
            "If the line has been level for long, more trials would add little. If it still rises, "
            "search on.",
            partial(tuning_trials_chart, result, table),
            legend=f"On the pictures tuned on ({result.n_tuned_on:,}). Line: the best so far. "
            f"Dashed: the settings before. {_held_out(result)}",
            about=about,
            absent="" if known else "no trial has a number",
            wide=True,
        ),
        Plot(
            "settings",
            "Average recall against each setting",
            "A peak: the setting matters, and the peak is where to be. Points at one height: it "
            "does not matter.",
            partial(tuning_settings_chart, result, table, varied),
            legend="One point per trial. All settings vary at once, so points scatter even where a "
            f"setting matters. {_held_out(result)}",
            about=about,
            absent="" if varied and known else "no setting was varied",
            wide=True,
        ),
    )


def _held_out(result: ProposalTuningResult) -> str:
    before, after = result.held_out_before, result.held_out_after
    if math.isnan(before) or math.isnan(after):
        return "No pictures were held out."
    pictures = counted(result.n_held_out, "picture")
    return f"On {pictures} held out: AR {score(before)} before, {score(after)} after."
