"""What a query picks, counted in the tables of a run by Polars and by nothing of the app."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import polars as pl

from browser.demo_runs import DemoRun

# COCO's areas; a border is of both sizes.
SIZES = {"small": (0, 32**2), "medium": (32**2, 96**2), "large": (96**2, float("inf"))}
LOOKS = {"of", "sort", "order", "show", "page", "per"}
RANGES = {"score", "iou", "area", "loss", "rank", "top", "disagreement"}


def picked(run: DemoRun, terms: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """The rows, in the order of their table."""
    given = list(terms)
    of = dict(given).get("of", "detections")
    asked: dict[str, list[str]] = {}
    for term, value in given:
        if term not in LOOKS:
            asked.setdefault(term, []).append(value)
    # Objects have a row for each detector.
    if of == "objects":
        asked.setdefault("detector", ["0"])
    if of == "images":
        asked.pop("detector", None)
    table = run.table(of)
    if "disagreement" in asked and of != "images":
        known = run.images.select("image_id", "disagreement")
        table = table.join(known, on="image_id", how="left", maintain_order="left")
    for term, values in asked.items():
        table = table.filter(reduce(pl.Expr.or_, (fits(run, term, value) for value in values)))
    return table


def fits(run: DemoRun, term: str, value: str) -> pl.Expr:
    """Whether a row has one value of a term."""
    if term == "detector":
        return pl.col("detector") == run.about["detectors"][int(value)]["name"]
    if term == "size":
        return pl.col("area").is_between(*SIZES[value])
    if term == "undetected":
        return pl.col("undetected") == (value == "1")
    if term == "find":
        in_name = pl.col("file_name").str.to_lowercase().str.contains(value.lower(), literal=True)
        return in_name | pl.col("image_id").cast(pl.String).str.contains(value, literal=True)
    if term in RANGES:
        return within(term, value)
    if term.startswith("attribute."):
        name = term.removeprefix("attribute.")
        kind = {one["name"]: one["kind"] for one in run.about["attributes"]}[name]
        column = f"attribute_{name}"
        if kind == "text":
            return pl.col(column) == value
        return within(column, value) if ".." in value else pl.col(column) == float(value)
    if term.startswith("characteristic."):
        return pl.col(f"characteristic_{term.removeprefix('characteristic.')}").cast(
            pl.String
        ) == pl.lit(value)
    return pl.col(term).cast(pl.String) == value


def within(column: str, text: str) -> pl.Expr:
    low, dots, high = text.partition("..")
    least = float(low) if low else -float("inf")
    most = (float(high) if high else float("inf")) if dots else least
    return pl.col(column).is_between(least, most)


def heading(of: str, rows: pl.DataFrame) -> str:
    """What the grid says of so many rows."""
    n_images = rows["image_id"].n_unique()
    images = f"{n_images:,} image{'' if n_images == 1 else 's'}"
    if of == "images":
        return images
    return f"{len(rows):,} {of.removesuffix('s') if len(rows) == 1 else of} in {images}"
