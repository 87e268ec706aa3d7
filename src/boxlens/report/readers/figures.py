"""The figures of a study: which are drawn, which stands first, each below its title."""

from __future__ import annotations

from textwrap import wrap

from boxlens.report.charts.export import chart_json
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.theme import CONFIG
from boxlens.report.study import Plot, Study

LINE_CHARACTERS = 71


def drawn_plots(study: Study) -> list[Plot]:
    """Those that can be drawn, in their order on the page."""
    return [plot for _, plot in study.plots() if not plot.absent]


def main_plot(study: Study) -> Plot | None:
    """The one that is shown where there is room for one."""
    shown = (one for one in drawn_plots(study) if one.name.startswith(study.main_plot))
    return next(shown, None)


def titled(plot: Plot) -> Spec:
    """The whole figure: what is seen, of which detector and data, how to read it."""
    about, reading = plot.about, plot.legend
    lines = [*wrap(about, LINE_CHARACTERS), *wrap(reading, LINE_CHARACTERS)]
    heading = {"text": wrap(plot.title, LINE_CHARACTERS - 12), "subtitle": lines}
    # A page writes them itself, in lines of its own width.
    texts = {"about": about, "reading": reading}
    return {"title": heading, "usermeta": texts, "config": CONFIG, **plot.draw()}


def spec_of(plot: Plot) -> Spec:
    """The figure as a Vega-Lite specification, its data included."""
    return chart_json(titled(plot))
