"""The figures of a study: which are drawn, which stands first, each below its title."""

from __future__ import annotations

from boxlens.report.charts.export import chart_json
from boxlens.report.charts.forms.layers import Spec
from boxlens.report.charts.theme import themed
from boxlens.report.study import Plot, Study


def drawn_plots(study: Study) -> list[Plot]:
    """Those that can be drawn, in their order on the page."""
    return [plot for _, plot in study.plots() if not plot.absent]


def main_plot(study: Study) -> Plot | None:
    """The one that is shown where there is room for one."""
    shown = (one for one in drawn_plots(study) if one.name.startswith(study.main_plot))
    return next(shown, None)


def titled(plot: Plot) -> Spec:
    """The chart of a plot below its title."""
    return themed(plot.draw(), title=plot.title, about=plot.about, reading=plot.legend)


def spec_of(plot: Plot) -> Spec:
    """The figure as a Vega-Lite specification, its data included."""
    return chart_json(titled(plot))
