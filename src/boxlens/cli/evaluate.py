"""`boxlens evaluate`: how good is it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from boxlens.cli.output import print_notices, show_or_save_json
from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from boxlens.data import Dataset

HINTS = {"lvis": "lvis", "voc": "voc07 or voc12", "openimages": "openimages"}


def evaluate_command(
    gt: Annotated[str, typer.Argument(metavar="GT", help="Ground truth: a file or folder.")],
    dt: Annotated[
        list[str],
        typer.Argument(metavar="DT", help="Detections, one a detector."),
    ],
    protocol: Annotated[str, typer.Option(help="coco, voc07, voc12, lvis or openimages.")] = "coco",
    split: Annotated[
        str | None, typer.Option(help="Part of the data set, e.g. test (VOC, YOLO).")
    ] = None,
    per_class: Annotated[bool, typer.Option("--per-class", help="A row a class.")] = False,
    also: Annotated[
        list[str] | None,
        typer.Option(help="Add curves, confidence, confusion, olrp or images. Repeatable."),
    ] = None,
    iou: Annotated[
        list[float] | None,
        typer.Option(help="IoU thresholds instead of the protocol's."),
    ] = None,
    area: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=LOW:HIGH", help="Area range in square pixels. Repeatable."),
    ] = None,
    max_dets: Annotated[
        list[int] | None, typer.Option(help="Detections a class and image (COCO). Repeatable.")
    ] = None,
    group_of_weight: Annotated[
        float, typer.Option(help="What a group-of box counts (openimages); 0 ignores it.")
    ] = 1.0,
    at_iou: Annotated[float, typer.Option(help="IoU threshold of the --also readings.")] = 0.5,
    min_score: Annotated[
        float, typer.Option(help="Score cut of --also confusion and images.")
    ] = 0.25,
    name: Annotated[
        list[str] | None, typer.Option(help="A detector's name, in the order of DT. Repeatable.")
    ] = None,
    gt_format: Annotated[
        str | None, typer.Option(help="Format of GT instead of recognising it.")
    ] = None,
    dt_format: Annotated[
        str | None, typer.Option(help="Format of DT instead of recognising it.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Unknown images or classes are an error.")
    ] = False,
    threads: Annotated[int, typer.Option(help="Worker threads; 0 takes all cores.")] = 0,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write JSON to FILE, or - for stdout.")
    ] = None,
) -> None:
    """Score detections against ground truth: COCO, VOC, LVIS and Open Images numbers, exact."""
    from boxlens.cli.evaluate_table import evaluation_text
    from boxlens.cli.progress import progress_bar
    from boxlens.formats import read_dataset, read_detections
    from boxlens.metrics import choose, evaluate_tables

    choice = choose(
        protocol,
        iou_thresholds=iou,
        area_ranges=parse_areas(area) if area else None,
        max_dets=max_dets,
        group_of_weight=group_of_weight,
        also=also or [],
        extra_iou=at_iou,
        min_score=min_score,
    )
    if name and len(name) != len(dt):
        raise ParameterError(f"{len(dt)} detectors but {len(name)} names: give --name for each")
    with progress_bar() as progress:
        dataset = read_dataset(
            gt, format=gt_format, split=split, threads=threads, progress=progress
        )
        detections = [
            read_detections(
                path,
                dataset,
                format=dt_format,
                name=name[row] if name else None,
                strict=strict,
                threads=threads,
                progress=progress,
            )
            for row, path in enumerate(dt)
        ]
    result = evaluate_tables(dataset, detections, choice, threads=threads)
    print_notices([*result.notices, *(n for row in result.detectors for n in row.notices)])
    _hint_protocol(dataset, protocol)
    show_or_save_json(result.to_json, json, lambda: evaluation_text(result, per_class=per_class))


def parse_areas(texts: list[str]) -> dict[str, tuple[float, float]]:
    """NAME=LOW:HIGH; an empty HIGH has no end. "all" is added in front where it is not given."""
    ranges: dict[str, tuple[float, float]] = {"all": (0.0, 1e10)}
    for text in texts:
        name, _, ends = text.partition("=")
        low, colon, high = ends.partition(":")
        try:
            ranges[name] = (float(low or 0), float(high or "inf"))
        except ValueError:
            colon = ""
        if not name or not colon:
            raise ParameterError(f"--area {text!r}: write NAME=LOW:HIGH, e.g. tiny=0:256")
    return ranges


def _hint_protocol(dataset: Dataset, protocol: str) -> None:
    from boxlens.cli.output import print_note

    found = dataset.source.format if dataset.source else ""
    fitting = HINTS.get(found)
    if fitting and protocol == "coco":
        print_note(f"this is {found} ground truth, scored as COCO does; see --protocol {fitting}")
