"""An upper bound: how near detectors come, where they fall short, what recognition depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from boxlens.images import ImageFiles
from boxlens.progress import Progress
from boxlens.report.charts.kinds import KINDS
from boxlens.report.described.examples import (
    WITHOUT,
    Pictures,
    fit_pictures,
    groups_markup,
    n_crops,
)
from boxlens.report.described.extras import Extras, Images
from boxlens.report.described.faulty_pictures import faulty_pictures
from boxlens.report.described.upper_bound.classes import classes_section
from boxlens.report.described.upper_bound.detectors import AGAINST, detectors_section, share_of_uap
from boxlens.report.described.upper_bound.recognition import (
    LABELS,
    context_section,
    recognition_section,
)
from boxlens.report.pictures.exhibits import ExampleGroup, Shown
from boxlens.report.pictures.gallery import crop_from_files
from boxlens.report.study import (
    NUMBER,
    SCORE,
    SHARE,
    TEXT,
    Column,
    Form,
    Markup,
    Section,
    Study,
    Table,
    columns_of,
)
from boxlens.studies.upper_bound.nearness import best_detector
from boxlens.studies.upper_bound.result import Mistake, UpperBoundResult
from boxlens.studies.upper_bound.verdict import bound_findings, bound_sentences
from boxlens.wording import counted, score

COLOUR = KINDS["cls"].colour
MISTAKES = "Wrong labels, the most confident first"


def study(result: UpperBoundResult, pictures: Pictures | None = None) -> Study:
    """`pictures` are those of the mistakes, where there are any."""
    n_classes = counted(len(result.bound.classes), "class", "classes")
    found = bound_findings(result)
    asked = (detectors_section, classes_section, recognition_section, context_section)
    return Study(
        title=f"Upper bound of {result.classifier}",
        data=result.dataset,
        facts=(
            counted(result.n_images, "image"),
            f"{counted(result.n_objects, 'object')} of {n_classes}",
            *[result.learnt_from] * (result.learnt_from != result.classifier),
            *[counted(len(result.failed), "failure")] * bool(result.failed),
        ),
        sentences=bound_sentences(result),
        tiles=tuple(_tiles(result)),
        sections=(
            *(
                replace(one, guide="upper-bound", findings=found.get(one.name, ()))
                for one in (section(result) for section in asked)
            ),
            _mistakes(result, pictures),
            faulty_pictures("bound", result.failed, result.remarks),
        ),
        main_table=AGAINST if result.detectors else LABELS,
    )


def extras(result: UpperBoundResult) -> Extras:
    return Extras(pictures=partial(_pictures, result))


def _tiles(result: UpperBoundResult) -> Iterator[tuple[str, float, Form]]:
    bound, best = result.bound, best_detector(result)
    yield "UAP", bound.uap, SCORE
    yield "accuracy", bound.accuracy, SCORE
    if best is not None:
        yield f"AP, {best.name}", best.ap, SCORE
        yield "share of UAP", share_of_uap(best.ap, bound.uap), SHARE


def _mistakes(result: UpperBoundResult, pictures: Pictures | None) -> Section:
    """The table is shown where not every mistake has its picture."""
    shown = pictures is None or n_crops(pictures.gallery.groups) < len(result.mistakes)
    table: Table[Mistake] = Table(
        "bound_mistakes",
        MISTAKES if shown else "",
        result.mistakes,
        [
            Column("said", "label", lambda one: one.said, TEXT),
            Column("score", "score", lambda one: one.score),
            Column("class", "true class", lambda one: one.true_class, TEXT),
            # Of text or number in the file; in one column both are text.
            Column("object_id", "object", lambda one: str(one.object_id), TEXT),
            Column("image_id", "image", lambda one: str(one.image_id), TEXT),
            Column("file_name", "", lambda one: one.file_name, TEXT),
            Column("", "file", lambda one: one.file_name or None, TEXT),
            *columns_of("xywh", lambda one, at: float(one.box["xywh".index(at)]), NUMBER, key=str),
        ],
        wide=True,
        unprinted=True,
    )
    reading = "The wrong labels in which the classifier has most confidence: they cost most."
    if pictures is None:
        return Section("mistakes", "Mistakes", (table,), f"{reading} {WITHOUT}")
    return Section("mistakes", "Mistakes", (Markup(groups_markup(pictures)), table), reading)


def _pictures(
    result: UpperBoundResult, images: Images, megabytes: float, progress: Progress | None
) -> Pictures | None:
    """A folder has files of the names that the ground truth gives; by default what was labelled."""
    images = images or result.pictures
    if images is None or not result.mistakes:
        return None
    if isinstance(images, ImageFiles):
        paths = dict(zip(images.ids.tolist(), images.paths, strict=True))
    else:
        named = {one.image_id: Path(images) / one.file_name for one in result.mistakes}
        paths = {key: path for key, path in named.items() if path.is_file()}
    # In pixels, boxes are those of the very pictures that were classified.
    gallery = crop_from_files(
        (_group(result),),
        paths,
        lambda picture, _: picture.size if result.relative else (1.0, 1.0),
        progress=progress,
    )
    return fit_pictures(gallery, megabytes)


def _group(result: UpperBoundResult) -> ExampleGroup:
    return ExampleGroup(
        name="mistakes",
        title=MISTAKES,
        reading="The label that the classifier gives to the box, and the true class. Look for "
        "labels that are wrong in the ground truth, for objects in front of others, and for "
        "classes that people confuse, too.",
        key=(("object", COLOUR),),
        shown=tuple(
            Shown(
                one.image_id,
                boxes=(((x, y, w, h), COLOUR),),
                caption=(f"{one.said} {score(one.score)}", f"is {one.true_class}"),
                file_name=one.file_name,
            )
            for one in result.mistakes
            for x, y, w, h in [one.box.tolist()]
        ),
    )
