"""Where detectors disagree: the images to annotate next, found without ground truth."""

from __future__ import annotations

from collections.abc import Iterator

from boxlens.report.study import (
    COUNT,
    ID,
    MEAN_COUNT,
    SHARE,
    TEXT,
    Column,
    Note,
    Part,
    Section,
    Study,
    Table,
    columns_of,
)
from boxlens.studies.comparison.cases.disagreement import DisagreementResult
from boxlens.wording import counted, listed, mean_count, number, share


def study(result: DisagreementResult) -> Study:
    cuts = [number(cut) for cut in dict.fromkeys(result.min_score)]
    return Study(
        title=f"Disagreement of {listed(result.detectors, most=3, noun='detectors')}",
        data=result.dataset or "images without a name",
        facts=(
            counted(len(result.images), "image"),
            f"boxes with a score of at least {listed(cuts)}",
        ),
        sentences=tuple(_sentences(result)),
        tiles=(
            ("boxes disputed", result.mean_share, SHARE),
            ("disputed boxes per image", result.mean_boxes, MEAN_COUNT),
        ),
        sections=(
            Section(
                "images",
                "Images",
                (
                    *disputed_images(result, result.top),
                    Table("images", "", result.order.tolist(), _columns(result)),
                ),
                reading="Disputed: the share of boxes on which the detectors disagree; disputed "
                "boxes: their number. The ground truth is not used. tables/images.parquet has all "
                "images.",
                guide="disagree",
            ),
        ),
    )


def disputed_images(
    result: DisagreementResult, n_top: int, *, detail: bool = False
) -> Iterator[Part]:
    """The images most worth a look."""
    top = [row for row in result.order[:n_top].tolist() if result.share[row] > 0]
    if not top:
        yield Note("The detectors agree on every image: there is nothing to choose by.")
        return
    caption = "Images on which the detectors disagree most"
    yield Table("", caption, top, _columns(result), wide=True, detail=detail)


def _columns(result: DisagreementResult) -> list[Column[int]]:
    """Of rows of the images."""
    n_boxes = dict(zip(result.detectors, result.n_boxes, strict=True))
    return [
        Column("image_id", "image", result.image_id.tolist().__getitem__, ID),
        Column("file_name", "file", result.images.file_name.__getitem__, TEXT),
        Column("share", "disputed", lambda row: float(result.share[row]), SHARE),
        Column("boxes", "disputed boxes", lambda row: float(result.boxes[row]), MEAN_COUNT),
        *columns_of(
            result.detectors,
            lambda row, name: int(n_boxes[name][row]),
            COUNT,
            key="n_boxes_",
            heading="boxes of {}".format,
        ),
    ]


def _sentences(result: DisagreementResult) -> Iterator[str]:
    n_images, n_disputed = len(result.images), int((result.share > 0).sum())
    if not n_images:
        yield "There are no images."
        return
    most = f", most on image {result.image_id[result.order[0]]}" if n_disputed else ""
    yield f"The detectors disagree on {n_disputed:,} of {counted(n_images, 'image')}{most}."
    if n_disputed:
        yield (
            f"On average {share(result.mean_share)} of the boxes of an image are disputed, "
            f"{mean_count(result.mean_boxes)} boxes per image."
        )
