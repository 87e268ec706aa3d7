"""A search for settings as a Polars frame: one row a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from boxlens.report.frames.typed_frame import typed_frame

if TYPE_CHECKING:
    from boxlens.proposals.tuning.result import ProposalTuningResult


def tuning_frames(result: ProposalTuningResult) -> dict[str, pl.DataFrame]:
    """By file name; undefined values are null."""
    best = result.trials[result.best]
    names = list(dict.fromkeys(name for one in result.trials for name in one.settings))
    frame = typed_frame(
        (
            {
                "trial": one.number,
                "best": one is best,
                "AR": one.ar,
                "recall_0.5": one.recall_50,
                "n_mean": one.n_mean,
                "seconds_per_image": one.seconds_per_image,
                **{f"setting_{name}": one.settings.get(name) for name in names},
            }
            for one in result.trials
        ),
        texts=(),
        flags=("best",),
    )
    return {"trials": frame.with_columns(pl.col("trial").cast(pl.Int64))}
