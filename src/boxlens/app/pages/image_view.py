"""One image: its picture with all boxes, the table of them, and the way to the next one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxlens import wording
from boxlens.app.opening.run import Run
from boxlens.app.pages.addresses import address, pairs_of, replaced, without
from boxlens.app.pages.grid import Steps, scheme_in_use, steps
from boxlens.app.pages.scene_view import (
    LINES,
    TRUTH,
    DrawnBox,
    Scene,
    drawn_boxes,
    scene,
    truth_boxes,
)
from boxlens.app.pages.words import (
    cut_of,
    kind_named,
    scheme_kinds,
    scheme_title,
    small_number,
)
from boxlens.app.selecting.query import Query
from boxlens.app.selecting.selection import Selection
from boxlens.app.site import Site
from boxlens.data.columns import Rows
from boxlens.report.charts.kinds import Kind
from boxlens.wording import counted


@dataclass(frozen=True, slots=True)
class Layer:
    """The boxes of one detector: how they are drawn, and from which score."""

    name: str
    layer: str
    line: str
    n_boxes: int
    cut: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BoxLine:
    """One row of the table."""

    box: DrawnBox
    # Whose box it is: "truth" or the number of a detector.
    whose: str
    kind: Kind
    other: str
    hidden: bool
    matches: bool


@dataclass(frozen=True, slots=True)
class ImageView:
    """Everything on the page."""

    title: str
    steps: Steps
    grid: str
    scene: Scene
    cuts: dict[str, float]
    layers: tuple[Layer, ...]
    n_objects: int
    lines: tuple[BoxLine, ...]
    schemes: tuple[tuple[str, bool], ...]
    kinds: list[dict[str, dict[str, str]]]
    facts: tuple[tuple[str, str], ...]
    has_matches: bool


def image_view(site: Site, query: Query, image_row: int) -> ImageView:
    """The image at a row, seen from the selection of the query."""
    run = site.run
    scheme = scheme_in_use(run, query)
    selection = site.selections.get(query)
    detectors = range(len(run.detector_names))
    first = query.detectors_of(run)[0]
    matches = _matches(run, query, selection, image_row)
    truth = truth_boxes(
        site,
        image_row,
        sorted(detectors, key=lambda row: row != first),
        scheme=scheme,
        matches=_of_detector(run, matches, first) if query.of == "objects" else frozenset(),
    )
    found = drawn_boxes(
        site,
        "detections",
        run.detections.of_image(image_row),
        scheme=scheme,
        matches=frozenset(matches.tolist()) if query.of == "detections" else frozenset(),
    )
    name = run.images.name(image_row)
    words = f"{name}: {counted(len(truth), 'object')}, {counted(len(found), 'detection')}"
    cuts = {str(row): cut_of(run, row) for row in detectors}
    found_steps, back = _steps(site, query, selection, image_row)
    ordered = [*truth, *sorted(found, key=lambda box: (box.layer, -box.score))]
    return ImageView(
        title=name,
        scene=scene(site, image_row, [*truth, *found], words=words, thumbnail=False),
        cuts=cuts,
        layers=tuple(_layer(run, row, found) for row in detectors),
        n_objects=len(truth),
        lines=tuple(_line(run, box, scheme, cuts) for box in ordered),
        schemes=tuple((scheme_title(run, one), one == scheme) for one in run.about["schemes"]),
        kinds=scheme_kinds(run),
        facts=_facts(run, image_row),
        has_matches=len(matches) > 0,
        steps=found_steps,
        grid=back,
    )


def _matches(run: Run, query: Query, selection: Selection, image_row: int) -> Rows:
    """The rows of the selection in the image; none where nothing was asked for."""
    asks = query.values or query.ranges or query.detectors
    if query.of == "images" or not asks:
        return selection.rows[:0]
    found: Rows = selection.rows[run.boxes(query.of).image_row[selection.rows] == image_row]
    return found


def _of_detector(run: Run, rows: Rows, detector_row: int) -> frozenset[int]:
    """The same objects as rows of one detector."""
    objects = run.objects
    starts = objects.offsets[:, 0]
    moved = rows - starts[objects.detector_row[rows]] + starts[detector_row]
    return frozenset(moved.tolist())


def _steps(site: Site, query: Query, selection: Selection, image_row: int) -> tuple[Steps, str]:
    """The images before and after, and the page of the grid that this one is on."""
    pairs = without(pairs_of(query), ("page",))
    at = np.flatnonzero(selection.image_rows == image_row)
    grid = f"{site.root}images"
    if not len(at):
        return Steps("not in this selection"), address(grid, pairs)
    item = place = int(at[0])
    if query.show == "boxes" and query.of != "images":
        item = int(np.argmax(site.run.boxes(query.of).image_row[selection.rows] == image_row))
    page = item // query.per + 1
    return (
        steps(selection.image_rows, place, lambda row: address(f"{site.root}image/{row}", pairs)),
        address(grid, replaced(pairs, "page", page) if page > 1 else pairs),
    )


def _layer(run: Run, row: int, found: list[DrawnBox]) -> Layer:
    scores = run.detections.score[run.detections.of_detector(row)]
    low, high = (
        float(np.fmin.reduce(scores, initial=0.0)),
        float(np.fmax.reduce(scores, initial=1.0)),
    )
    return Layer(
        name=run.detector_names[row],
        layer=str(row),
        line=LINES[min(row, len(LINES) - 1)],
        n_boxes=sum(box.layer == str(row) for box in found),
        cut=cut_of(run, row),
        low=low,
        high=high,
    )


def _line(run: Run, box: DrawnBox, scheme: str, cuts: dict[str, float]) -> BoxLine:
    label = dict(zip(run.about["schemes"], box.kinds, strict=True)).get(scheme)
    matches = box.look.endswith(" match")
    is_truth = box.layer == TRUTH
    return BoxLine(
        box=box,
        whose=TRUTH if is_truth else str(int(box.layer) + 1),
        kind=kind_named(label) if label else Kind("", "none"),
        other=_hit_by(run, box) if is_truth else _lies_on(run, box),
        hidden=not is_truth and not matches and box.score < cuts[box.layer],
        matches=matches,
    )


def _hit_by(run: Run, box: DrawnBox) -> str:
    """Which detectors find an object, and with which score."""
    several = len(run.detector_names) > 1
    found = [
        f"{row + 1} ({wording.score(score)})" if several else wording.score(score)
        for row, score in enumerate(box.hits)
        if score is not None
    ]
    if not box.hits:
        return ""
    return f"hit by {', '.join(found)}" if found else "not found"


def _lies_on(run: Run, box: DrawnBox) -> str:
    """The object that a detection hits or overlaps most."""
    partner = int(run.detections.partner[int(box.name[1:])])
    return (
        f"on {run.class_names[run.objects.class_row[partner]]}" if partner >= 0 else "on background"
    )


def _facts(run: Run, image_row: int) -> tuple[tuple[str, str], ...]:
    images = run.images
    width, height = float(images.width[image_row]), float(images.height[image_row])
    size = f"{width:,.0f} × {height:,.0f} px" if width > 0 and height > 0 else "unknown"
    facts = [
        ("id", str(images.id[image_row])),
        ("file", images.file_name[image_row]),
        ("size", size),
    ]
    for column, words in (("disagreement", "disagreement"), ("disputed_boxes", "disputed boxes")):
        if column in images.columns:
            facts.append((words, small_number(float(images.columns[column][image_row]))))
    several = len(run.detector_names) > 1
    for name in run.detector_names:
        of = f" of {name}" if several else ""
        for column, words in (
            ("loss", "loss of AP"),
            ("n_wrong", "wrong detections at any score (TIDE)"),
            ("n_missed", "objects missed at any score"),
            ("unexpected", "most unexpected"),
        ):
            values = images.columns.get(f"{column}_{name}")
            if values is not None:
                facts.append((words + of, small_number(float(values[image_row]))))
    return tuple((words, value) for words, value in facts if value)
