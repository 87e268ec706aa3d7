"""What every result of a verb can do: show itself, give its tables and figures, write its report.

Results are below the report and must not import it: they know only the names of the modules that
read them (docs/adr/0008-notebook-display.md).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from altair.typing import ChartType

    from boxlens.data import Notice
    from boxlens.images import ImageFiles
    from boxlens.progress import Progress


class Displayed:
    """The result of a verb."""

    __slots__ = ()
    notices: tuple[Notice, ...]
    """What was skipped or filled in."""

    def to_json(self) -> dict[str, Any]:
        """The stable form that `--json -` prints."""
        raise NotImplementedError

    @property
    def all_notices(self) -> tuple[Notice, ...]:
        """What was skipped or filled in, of every input."""
        return self.notices

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in words, most important first."""
        found: tuple[str, ...] = _report("described", "describe")(self).all_sentences
        return found

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of the report by name, as Polars frames; undefined values are null."""
        frames: dict[str, pl.DataFrame] = _report("readers.frames", "study_frames")(
            _report("described", "describe")(self)
        )
        return frames

    def figures(self) -> dict[str, ChartType]:
        """Every figure by name, as Altair charts: returned, not shown."""
        charts: dict[str, ChartType] = _report("readers.notebook", "figures")(self)
        return charts

    def save(
        self,
        folder: str | PathLike[str],
        *,
        figures: str = "svg",
        images: ImageFiles | str | PathLike[str] | None = None,
        images_mb: float = 8.0,
        pdf: bool = False,
        threads: int = 0,
        progress: Progress | None = None,
        **more: Any,
    ) -> str:
        """Writes report.html, results.json, tables and figures; returns what was written.

        `figures` are "svg", "pdf", "png" with commas between, or "none"; `images` is a folder with
        pictures of examples, which take `images_mb` megabytes of the page at most; `pdf` adds a
        typeset report. Single verbs take `more`: their pages of the guide say what.
        """
        written: str = _report("writing.write_study", "write_study")(
            self,
            folder,
            figures=figures,
            images=images,
            images_mb=images_mb,
            pdf=pdf,
            threads=threads,
            progress=progress,
            **more,
        )
        return written

    def _repr_html_(self) -> str:
        html: str = _report("readers.notebook", "html_of")(self)
        return html


def _report(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(f"boxlens.report.{module}"), name)
    return found
