"""Two detectors side by side on the images where they differ most."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from boxlens import wording
from boxlens.app.opening.run import Run
from boxlens.app.pages.addresses import Link, Pairs, address
from boxlens.app.pages.filter_form import Choice, choices
from boxlens.app.pages.grid import Steps, paging, steps
from boxlens.app.pages.scene_view import DrawnBox, Scene, drawn_boxes, scene, truth_boxes
from boxlens.app.pages.words import (
    NO_ERROR,
    OUTSIDE,
    cut_of,
    scheme_kinds,
    small_number,
)
from boxlens.app.selecting.terms import QueryError, shown
from boxlens.app.site import Site
from boxlens.data.columns import Floats, Rows
from boxlens.wording import counted

PER_PAGE: Final = 12
SORTS: Final = {
    "boxes": "disputed boxes",
    "disagreement": "share of disputed boxes",
    "loss": "difference in loss",
    "a": "first loses more",
    "b": "second loses more",
}
# The columns of the images' table behind two of them.
_DISPUTES: Final = {"boxes": "disputed_boxes", "disagreement": "disagreement"}
_TERMS: Final = ("a", "b", "sort", "page", "image")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What an address of this view asks for."""

    a: int = 0
    b: int = 1
    sort: str = "boxes"
    page: int = 1
    image: int | None = None

    def pairs(self, **changes: int) -> Pairs:
        """Terms for an address, without defaults."""
        said = {"a": self.a, "b": self.b, "sort": self.sort, **changes}
        usual = {"sort": "boxes", "page": 1}
        return tuple((name, str(value)) for name, value in said.items() if value != usual.get(name))


@dataclass(frozen=True, slots=True)
class Side:
    """One detector on one image, and what it finds, in words."""

    name: str
    detector: str
    cut: float
    scene: Scene
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairOfSides:
    """One image seen by both."""

    title: str
    href: str
    fact: str
    sides: tuple[Side, Side]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A page of images, or why there is none."""

    lack: str
    firsts: tuple[Choice, ...] = ()
    seconds: tuple[Choice, ...] = ()
    sorts: tuple[Choice, ...] = ()
    pairs: tuple[PairOfSides, ...] = ()
    pages: tuple[Link, ...] = ()
    page_words: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class PairView:
    """One image, large."""

    title: str
    pair: PairOfSides
    steps: Steps
    grid: str
    image: str
    kinds: list[dict[str, dict[str, str]]]


def parse_comparison(run: Run, pairs: Iterable[tuple[str, str]]) -> Comparison:
    """Raises `QueryError` for an invalid address. Empty values count as absent."""
    given: dict[str, str] = {}
    for term, value in pairs:
        if term not in _TERMS:
            raise QueryError(f"unknown term {shown(term)}: choose from {', '.join(_TERMS)}")
        if value.strip() and given.setdefault(term, value) != value:
            raise QueryError(f"{shown(term)} can be given only once")
    n_detectors = len(run.detector_names)
    sort = given.get("sort", "boxes" if "disputed_boxes" in run.images.columns else "loss")
    if sort not in SORTS:
        raise QueryError(f"sort={shown(sort)}: expected {', '.join(SORTS)}")
    if n_detectors < 2:
        return Comparison()
    a = _whole(given, "a", 0, n_detectors - 1, 0)
    b = _whole(given, "b", 0, n_detectors - 1, 0 if a else 1)
    if a == b:
        raise QueryError("a and b are the same detector: choose two different ones")
    n_pages = max(1, -(-len(run.images) // PER_PAGE))
    image = _whole(given, "image", 0, len(run.images) - 1, 0) if "image" in given else None
    return Comparison(a, b, sort, _whole(given, "page", 1, n_pages, 1), image)


def comparison_view(site: Site, asked: Comparison) -> ComparisonView:
    """One page of images, those of the largest difference first."""
    run = site.run
    names = run.detector_names
    if len(names) < 2:
        return ComparisonView(
            f"This run has one detector, {names[0]}. To see two side by side, run "
            "boxlens compare with both files of detections and -o, and serve its folder."
        )
    ordered, key = _ordered(run, asked)
    first = (asked.page - 1) * PER_PAGE
    n_pages = max(1, -(-len(ordered) // PER_PAGE))
    here = f"{site.root}compare"
    detectors = {str(row): name for row, name in enumerate(names)}
    sorts = {
        name: words
        for name, words in SORTS.items()
        if name not in _DISPUTES or _disputed(run, asked, name) is not None
    }
    return ComparisonView(
        lack="",
        firsts=choices(detectors, (str(asked.a),)),
        seconds=choices(detectors, (str(asked.b),)),
        sorts=choices(sorts, (asked.sort,)),
        pairs=tuple(
            _pair(site, asked, row, float(key[row]), thumbnail=True)
            for row in ordered[first : first + PER_PAGE].tolist()
        ),
        pages=paging(asked.page, n_pages, lambda to: address(here, asked.pairs(page=to))),
        page_words=f"page {asked.page:,} of {n_pages:,}",
        found=f"{names[asked.a]} and {names[asked.b]} on {counted(len(ordered), 'image')}",
    )


def pair_view(site: Site, asked: Comparison) -> PairView:
    """The image that the address names, and its neighbours in the order asked for."""
    run = site.run
    image_row = asked.image or 0
    ordered, key = _ordered(run, asked)
    place = int(np.flatnonzero(ordered == image_row)[0])
    pair = _pair(site, asked, image_row, float(key[image_row]), thumbnail=False)
    here = f"{site.root}compare"
    return PairView(
        title=pair.title,
        pair=pair,
        steps=steps(ordered, place, lambda row: address(here, asked.pairs(image=row))),
        grid=address(here, asked.pairs(page=place // PER_PAGE + 1)),
        image=f"{site.root}image/{image_row}?of=images",
        kinds=scheme_kinds(run),
    )


def _whole(given: dict[str, str], term: str, least: int, most: int, usual: int) -> int:
    text = given.get(term, str(usual)).strip()
    # So few digits that no text is slow to read.
    number = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1
    if not least <= number <= most:
        raise QueryError(f"{term}={shown(text)}: expected a whole number from {least} to {most}")
    return number


def _ordered(run: Run, asked: Comparison) -> tuple[Rows, Floats]:
    """All images, the most different first, and by what."""
    key = _key(run, asked)
    ordered = np.argsort(np.where(np.isnan(key), np.inf, -key), kind="stable")
    return ordered.astype(np.int32), key


def _key(run: Run, asked: Comparison) -> Floats:
    columns, names = run.images.columns, run.detector_names
    if asked.sort in _DISPUTES:
        disputed = _disputed(run, asked, asked.sort)
        if disputed is None:
            raise QueryError("this run has no disagreement of its detectors: sort by loss")
        return disputed
    losses = [columns.get(f"loss_{names[row]}") for row in (asked.a, asked.b)]
    if losses[0] is None or losses[1] is None:
        raise QueryError("this run has no loss of its images: sort by disagreement")
    difference: Floats = losses[0] - losses[1]
    if asked.sort == "b":
        return -difference
    return difference if asked.sort == "a" else np.abs(difference)


def _disputed(run: Run, asked: Comparison, sort: str) -> Floats | None:
    """Between the two where there are more, else of all."""
    first, second = sorted((asked.a, asked.b))
    columns, what = run.images.columns, _DISPUTES[sort]
    return columns.get(f"{what}_{first}_{second}", columns.get(what))


def _pair(site: Site, asked: Comparison, row: int, key: float, *, thumbnail: bool) -> PairOfSides:
    words = SORTS[asked.sort] if asked.sort in _DISPUTES else "difference in loss"
    value = small_number(key)
    return PairOfSides(
        title=site.run.images.name(row),
        href=address(f"{site.root}compare", asked.pairs(image=row)),
        fact=f"{words} {value}" if value else f"{words} unknown",
        sides=(
            _side(site, row, asked.a, thumbnail=thumbnail),
            _side(site, row, asked.b, thumbnail=thumbnail),
        ),
    )


def _side(site: Site, image_row: int, detector_row: int, *, thumbnail: bool) -> Side:
    """The boxes of one detector from its cut on, with the ground truth below."""
    run, cut = site.run, cut_of(site.run, detector_row)
    rows = run.detections.of_image(image_row, detector_row)
    drawn = rows[run.detections.score[rows] >= cut]
    scheme = next(iter(run.about["schemes"]), "")
    truth = truth_boxes(site, image_row, (detector_row,), scheme=scheme)
    boxes = drawn_boxes(site, "detections", drawn, scheme=scheme)
    words = _counts(truth, boxes)
    name = run.detector_names[detector_row]
    said = f"{name} on {run.images.name(image_row)}: {', '.join(words)}"
    return Side(
        name=name,
        detector=str(detector_row),
        cut=cut,
        scene=scene(site, image_row, [*truth, *boxes], words=said, thumbnail=thumbnail),
        words=(*words, f"score from {wording.score(cut)}"),
    )


def _counts(truth: list[DrawnBox], boxes: list[DrawnBox]) -> tuple[str, ...]:
    counting = [box for box in truth if box.hits]
    missed = sum("missed" in box.look for box in counting)
    labels = [next(iter(box.kinds), None) for box in boxes]
    wrong = sum(label is not None and label not in NO_ERROR for label in labels)
    aside = sum(label == OUTSIDE for label in labels)
    words = [f"finds {len(counting) - missed} of {counted(len(counting), 'object')}"]
    words += [f"misses {missed}"] if missed else []
    words.append(f"{wrong} wrong" if wrong else "no errors")
    return (*words, *([f"{aside} not counted"] if aside else []))
