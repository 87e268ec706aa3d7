"""An upper bound: how near detectors come, where they fall short, what recognition depends on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from boxlens.formats.files import Progress
from boxlens.images import ImageFiles
from boxlens.report.described import upper_bound_plots as plots
from boxlens.report.described import upper_bound_tables as tables
from boxlens.report.described.examples import Pictures, fit_pictures, groups_markup, n_crops
from boxlens.report.described.extras import Extras, Images
from boxlens.report.described.faulty_pictures import faulty_pictures
from boxlens.report.pictures.bound_exhibits import mistakes_group
from boxlens.report.study import SCORE, SHARE, Form, Markup, Part, Section, Study
from boxlens.studies.upper_bound.nearness import best_detector
from boxlens.studies.upper_bound.result import UpperBoundResult
from boxlens.studies.upper_bound.verdict import bound_findings, bound_sentences
from boxlens.wording import counted

GUIDE = "upper-bound"
WITHOUT_PICTURES = "Pictures are shown where they are given (--images)."
TITLES = {
    "detectors": "Detectors against the bound",
    "classes": "Class by class",
    "recognition": "Recognition",
    "context": "Context",
}
READINGS = {
    "detectors": "Upper-bound AP (UAP): the AP of a detector that finds every object, in its true "
    "box, and labels it as the classifier does. The gap between a detector and UAP comes from "
    "missed objects, poorly localized boxes and false positives.",
    "classes": "Accuracy: the share of a class's objects that get its label. Gap: UAP minus the AP "
    "of the detector that is best over all classes; where it is negative, the detector recognises "
    "the class better than the classifier does.",
    "recognition": "How good the classifier is, and whether boxes around the object help it.",
    "context": "How accurate the classifier is on crops that show less or more than the object.",
}


def study(result: UpperBoundResult, pictures: Pictures | None = None) -> Study:
    """`pictures` are those of the mistakes, where there are any."""
    n_classes = counted(len(result.bound.classes), "class", "classes")
    findings = bound_findings(result)

    def section(name: str, *parts: Part) -> Section:
        found = findings.get(name, ())
        return Section(name, TITLES[name], parts, READINGS[name], GUIDE, findings=found)

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
            section(
                "detectors",
                *plots.detector_plots(result),
                tables.detectors_table(result),
                *tables.iou_tables(result),
                tables.size_table(result),
            ),
            section("classes", plots.class_plot(result), *tables.class_tables(result)),
            section(
                "recognition", *plots.recognition_plots(result), tables.strategies_table(result)
            ),
            section("context", *plots.context_plots(result), tables.context_table(result)),
            _mistakes(result, pictures),
            faulty_pictures("bound", result.failed, result.remarks),
        ),
        main_table=tables.AGAINST if result.detectors else tables.LABELS,
    )


def extras(result: UpperBoundResult) -> Extras:
    return Extras(pictures=partial(_pictures, result))


def _pictures(
    result: UpperBoundResult, images: Images, megabytes: float, progress: Progress | None
) -> Pictures | None:
    """A folder has files of the names that the ground truth gives; by default what was labelled."""
    images = images or result.pictures
    if images is None or not result.mistakes:
        return None
    from boxlens.report.pictures.gallery import crop_from_files

    if isinstance(images, ImageFiles):
        paths = dict(zip(images.ids.tolist(), images.paths, strict=True))
    else:
        named = {one.image_id: Path(images) / one.file_name for one in result.mistakes}
        paths = {key: path for key, path in named.items() if path.is_file()}
    return fit_pictures(
        crop_from_files(
            (mistakes_group(result),),
            paths,
            # In pixels, they are those of the very pictures that were classified.
            lambda picture, _: picture.size if result.relative else (1.0, 1.0),
            progress=progress,
        ),
        megabytes,
    )


def _tiles(result: UpperBoundResult) -> Iterator[tuple[str, float, Form]]:
    bound, best = result.bound, best_detector(result)
    yield "UAP", bound.uap, SCORE
    yield "accuracy", bound.accuracy, SCORE
    if best is not None:
        yield f"AP, {best.name}", best.ap, SCORE
        yield "share of UAP", tables.share_of_uap(best.ap, bound.uap), SHARE


def _mistakes(result: UpperBoundResult, pictures: Pictures | None) -> Section:
    """The table is shown where not every mistake has its picture."""
    reading = "The wrong labels in which the classifier has most confidence: they cost most."
    if pictures is None:
        table = tables.mistakes_table(result, shown=True)
        return Section("mistakes", "Mistakes", (table,), f"{reading} {WITHOUT_PICTURES}")
    n_shown = n_crops(pictures.gallery.groups)
    table = tables.mistakes_table(result, shown=n_shown < len(result.mistakes))
    return Section("mistakes", "Mistakes", (Markup(groups_markup(pictures)), table), reading)
