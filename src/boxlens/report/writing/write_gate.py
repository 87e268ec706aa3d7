"""What `gate -o` leaves behind: report.html, results.json and a table of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from boxlens.report.pages.gate_page import gate_page
from boxlens.report.writing.output_folder import output_folder
from boxlens.report.writing.write import what_was_written, write_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from boxlens.comparison.gating.result import GateResult

TEXTS = ("rule", "metric", "of", "verdict", "reason")
NUMBERS = ("baseline", "candidate", "limit", "p", "p_holm", "detectable")
INTERVALS = ("difference", "margin")


def write_gate(result: GateResult, folder: Path) -> str:
    """Writes everything about a gate; returns in a line what was written."""
    with output_folder(folder) as output:
        document = result.to_json()
        tables = {"rules": _rules(document["results"]["rules"])}
        write_numbers(output, document, tables)
        output.write_text("report.html", gate_page(result, document))
    return what_was_written(folder, len(tables), (), ())


def _rules(outcomes: list[dict[str, Any]]) -> pl.DataFrame:
    rows = [
        {
            **{name: one[name] for name in (*TEXTS, *NUMBERS, "n_images")},
            **{
                f"{name}{ending}": value
                for name in INTERVALS
                for ending, value in zip(
                    ("", "_low", "_high"), (one[name]["value"], *one[name]["ci"]), strict=True
                )
            },
        }
        for one in outcomes
    ]
    schema: dict[str, Any] = {
        **dict.fromkeys(TEXTS, pl.String),
        **dict.fromkeys(NUMBERS, pl.Float64),
        "n_images": pl.Int64,
        **{f"{name}{ending}": pl.Float64 for name in INTERVALS for ending in ("", "_low", "_high")},
    }
    return pl.DataFrame(rows, schema=schema)
