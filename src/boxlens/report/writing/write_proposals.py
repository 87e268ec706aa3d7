"""What the actions of `boxlens proposals` leave behind with -o."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from boxlens.report.charts.drawing import Drawing
from boxlens.report.frames.correlation_tables import correlation_frames
from boxlens.report.frames.oracle_tables import oracle_frames
from boxlens.report.frames.recall_tables import recall_frames
from boxlens.report.frames.repeatability_tables import repeatability_frames
from boxlens.report.frames.tuning_tables import tuning_frames
from boxlens.report.pages.correlation_page import correlation_page
from boxlens.report.pages.oracle_page import oracle_page
from boxlens.report.pages.recall_page import recall_page
from boxlens.report.pages.repeatability_page import repeatability_page
from boxlens.report.pages.tuning_page import tuning_page
from boxlens.report.planning.correlation_figures import correlation_figures
from boxlens.report.planning.oracle_figures import oracle_figures
from boxlens.report.planning.recall_figures import recall_figures
from boxlens.report.planning.repeatability_figures import repeatability_figures
from boxlens.report.planning.tuning_figures import tuning_figures
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.write import (
    draw_figures,
    save_figures,
    what_was_written,
    write_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from boxlens.formats.files import Progress
    from boxlens.report.charts.export import ChartFormat
    from boxlens.report.pages.page import DrawnPlan
    from boxlens.report.planning.figure_plan import FigurePlan


Study = TypeVar("Study", bound="HasJson")


class HasJson(Protocol):
    """A result with a stable form for machines."""

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Written(Generic[Study]):
    """What is made of a result: figures, tables and a page."""

    figures: Callable[[Study], FigurePlan]
    frames: Callable[[Study], Mapping[str, pl.DataFrame]]
    page: Callable[[Study, dict[str, Any], DrawnPlan], str]

    def __call__(
        self,
        result: Study,
        folder: Path,
        *,
        formats: Sequence[ChartFormat],
        progress: Progress | None = None,
    ) -> str:
        """Writes everything; returns in a line what was written."""
        with output_folder(folder) as output, Drawing(formats) as drawing:
            drawn = draw_figures([self.figures(result)], drawing, progress)
            document = result.to_json()
            tables = self.frames(result)
            write_numbers(output, document, tables)
            save_figures(output, drawing, progress)
            output.write_text("report.html", self.page(result, document, drawn[0]))
        return what_was_written(folder, len(tables), drawn, formats)


write_recall = Written(recall_figures, recall_frames, recall_page)
write_repeatability = Written(repeatability_figures, repeatability_frames, repeatability_page)
write_correlation = Written(correlation_figures, correlation_frames, correlation_page)
write_oracles = Written(oracle_figures, oracle_frames, oracle_page)
write_tuning = Written(tuning_figures, tuning_frames, tuning_page)
