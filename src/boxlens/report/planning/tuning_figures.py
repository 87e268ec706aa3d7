"""Which figures a search for settings has, and what to make of each."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from boxlens.report.charts.tuning_trials import (
    tuning_settings_chart,
    tuning_trials_chart,
    varied_settings,
)
from boxlens.report.planning.figure_plan import Figure, FigurePlan, LeftOut, plan_of
from boxlens.report.planning.study_words import number_words

if TYPE_CHECKING:
    from boxlens.proposals.tuning.result import ProposalTuningResult

# Sections of the page.
TRIALS, SETTINGS = "trials", "settings"


def tuning_figures(result: ProposalTuningResult) -> FigurePlan:
    """Trial by trial, then setting by setting."""
    return plan_of([_trials(result), _settings(result)])


def _trials(result: ProposalTuningResult) -> Figure | LeftOut:
    title = "Average recall of every trial"
    if all(math.isnan(one.ar) for one in result.trials):
        return LeftOut(title, "no trial has a number", TRIALS)
    return Figure(
        "trials",
        title,
        "A line that has long been level: more trials would bring little. One that still rises: "
        "search on.",
        TRIALS,
        partial(tuning_trials_chart, result, about=tuning_about(result)),
        wide=True,
    )


def _settings(result: ProposalTuningResult) -> Figure | LeftOut:
    title = "Average recall against each setting"
    if all(math.isnan(one.ar) for one in result.trials) or not varied_settings(result):
        return LeftOut(title, "no setting was varied", SETTINGS)
    return Figure(
        "settings",
        title,
        "A hill: the setting matters, and its top is where to be. Points at one height "
        "everywhere: it does not matter.",
        SETTINGS,
        partial(tuning_settings_chart, result, about=tuning_about(result)),
        wide=True,
    )


def tuning_about(result: ProposalTuningResult) -> str:
    """What was tuned, how often, for how many proposals."""
    n_trials = number_words(len(result.trials), "trial")
    return f"{result.method}, {n_trials}, at most {number_words(result.budget, 'proposal')}"
