"""The page of images or boxes that a query picks: filters, cards, paging and exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from boxlens import wording
from boxlens.app.opening.run import Of, Run
from boxlens.app.pages.addresses import Link, Pairs, address, pairs_of, replaced, without
from boxlens.app.pages.chips import chips
from boxlens.app.pages.filter_form import Choice, Form, choices, filter_form, has_column
from boxlens.app.pages.scene_view import DrawnBox, Scene, drawn_boxes, label_at, scene
from boxlens.app.pages.words import kind_named, small_number
from boxlens.app.selecting.query import Query
from boxlens.app.selecting.selection import Selection, cards
from boxlens.app.selecting.terms import OFS, SORTS
from boxlens.app.site import Site
from boxlens.data.columns import Rows
from boxlens.wording import counted

# So many boxes are drawn on one card; more would hide the picture.
MOST_BOXES: Final = 30
SORT_WORDS: Final = {
    "score": "score",
    "loss": "loss of AP",
    "disagreement": "disagreement",
    "unexpected": "unexpectedness",
    "iou": "IoU",
    "area": "area",
    "rank": "rank",
    "image": "image",
}
PER_PAGE: Final = (12, 24, 48, 96, 200)


@dataclass(frozen=True, slots=True)
class Tag:
    """A short fact of a card, with the colour of its kind or none."""

    words: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """An image with the boxes that were picked in it, or one of them."""

    href: str
    scene: Scene
    title: str
    tags: tuple[Tag, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Everything on the page."""

    found: str
    tabs: tuple[Link, ...]
    chips: tuple[Link, ...]
    no_filters: str
    form: Form
    sorts: tuple[Choice, ...]
    orders: tuple[Choice, ...]
    shows: tuple[Choice, ...]
    sizes: tuple[Choice, ...]
    cards: tuple[Card, ...]
    pages: tuple[Link, ...]
    page_words: str
    exports: tuple[Link, ...]


def grid(site: Site, query: Query) -> Grid:
    """One page of what the query picks."""
    selection = site.selections.get(query)
    page = cards(site.run, query, selection)
    pairs = pairs_of(query)
    here = f"{site.root}images"
    scheme = scheme_in_use(site.run, query)
    return Grid(
        found=_found(selection, query.of),
        tabs=tuple(
            Link(of, address(here, pairs_of(query.asked_of(of))), of == query.of) for of in OFS
        ),
        chips=chips(site.run, query, here),
        no_filters=address(here, (("of", query.of),) if query.of != "detections" else ()),
        form=filter_form(site.run, query.of, pairs),
        sorts=_sorts(site.run, query),
        orders=choices({"desc": "largest first", "asc": "smallest first"}, (query.order,)),
        shows=choices({"images": "images", "boxes": "boxes"}, (query.show,)),
        sizes=choices({str(n): str(n) for n in sorted({*PER_PAGE, query.per})}, (str(query.per),)),
        cards=tuple(_card(site, query, scheme, item.image_row, item.rows) for item in page.items),
        pages=paging(
            page.page, page.n_pages, lambda to: address(here, replaced(pairs, "page", to))
        ),
        page_words=f"page {page.page:,} of {max(page.n_pages, 1):,}",
        exports=tuple(_exports(site, query, without(pairs, ("page", "per", "show")))),
    )


def _exports(site: Site, query: Query, pairs: Pairs) -> Iterator[Link]:
    """COCO results are those of one detector: of several there is a link to each."""
    yield Link("CSV", address(f"{site.root}export.csv", pairs))
    chosen = query.detectors_of(site.run)
    if query.of == "detections" and len(chosen) > 1:
        for row in chosen:
            one = (*without(pairs, ("detector",)), ("detector", str(row)))
            name = site.run.detector_names[row]
            yield Link(f"COCO JSON of {name}", address(f"{site.root}export.json", one))
    else:
        yield Link("COCO JSON", address(f"{site.root}export.json", pairs))
    yield Link("image list", address(f"{site.root}export.txt", pairs))


def scheme_in_use(run: Run, query: Query) -> str:
    """The first scheme that the query names, else the first there is: it gives the colours."""
    schemes = list(run.about["schemes"])
    return next((name for name in schemes if query.values_of(name)), next(iter(schemes), ""))


def _found(selection: Selection, of: Of) -> str:
    images = counted(selection.n_images, "image")
    if of == "images":
        return images
    return f"{counted(selection.n_rows, of.removesuffix('s'))} in {images}"


def _sorts(run: Run, query: Query) -> tuple[Choice, ...]:
    words = {
        name: SORT_WORDS[name]
        for name, (allowed, _) in SORTS.items()
        if query.of in allowed and has_column(run, query.of, name)
    }
    return choices(words, (query.sort,))


def paging(page: int, n_pages: int, address_of: Callable[[int], str]) -> tuple[Link, ...]:
    """First, previous, next, last; without an address where already there."""
    targets = {"First": 1, "Previous": page - 1, "Next": page + 1, "Last": n_pages}
    return tuple(
        Link(words, address_of(to) if 1 <= to <= n_pages and to != page else "")
        for words, to in targets.items()
    )


@dataclass(frozen=True, slots=True)
class Steps:
    """The place of an image among others, and the addresses of its neighbours."""

    place: str
    previous: str = ""
    next: str = ""


def steps(image_rows: Rows, place: int, address_of: Callable[[int], str]) -> Steps:
    """Without an address at either end."""
    neighbours = (
        address_of(int(image_rows[to])) if 0 <= to < len(image_rows) else ""
        for to in (place - 1, place + 1)
    )
    return Steps(f"{place + 1:,} of {len(image_rows):,}", *neighbours)


def _card(site: Site, query: Query, scheme: str, image_row: int, rows: Rows) -> Card:
    run = site.run
    title = run.images.name(image_row)
    href = address(f"{site.root}image/{image_row}", without(pairs_of(query), ("page",)))
    if query.of == "images":
        rows = run.objects.of_image(image_row, query.detectors_of(run)[0])
        shown = drawn_boxes(site, "objects", rows[:MOST_BOXES], scheme=scheme)
        words = f"{title}: {counted(len(shown), 'object')}"
        return Card(
            href,
            scene(site, image_row, shown, words=words),
            title,
            _image_tags(run, query, image_row),
        )
    boxes = drawn_boxes(site, query.of, rows[:MOST_BOXES], scheme=scheme)
    if query.show == "boxes" and len(boxes) == 1:
        return _crop(site, query, href, image_row, boxes[0], scheme)
    tags = _kind_tags(run, query, rows, scheme)
    if len(rows) > MOST_BOXES:
        tags = (*tags, Tag(f"first {MOST_BOXES} drawn"))
    words = f"{title}: {', '.join(tag.words for tag in tags)}"
    return Card(href, scene(site, image_row, boxes, words=words), title, tags)


def _crop(site: Site, query: Query, href: str, image_row: int, box: DrawnBox, scheme: str) -> Card:
    """One box close up, with the box of the other side that it overlaps."""
    run, row = site.run, int(box.name[1:])
    partner = int(run.boxes(query.of).partner[row])
    other: Of = "detections" if query.of == "objects" else "objects"
    others = drawn_boxes(site, other, [partner] if partner >= 0 else [], scheme=scheme)
    picked = _box_tags(run, query.of, row, scheme)
    title = run.images.name(image_row)
    drawn = scene(
        site,
        image_row,
        [box, *others],
        words=f"{', '.join(tag.words for tag in picked)} in {title}",
        near=box,
        thumbnail=False,
    )
    return Card(href, drawn, box.class_name, (*picked[1:], Tag(title)))


def _box_tags(run: Run, of: Of, row: int, scheme: str) -> tuple[Tag, ...]:
    table = run.boxes(of)
    label = label_at(table, scheme, row)
    score, iou = float(table.score[row]), float(table.numbers["iou"][row])
    kind = kind_named(label) if label else None
    tags = [Tag(run.class_names[table.class_row[row]])]
    if len(run.detector_names) > 1:
        tags.append(Tag(run.detector_names[table.detector_row[row]]))
    if kind:
        tags.append(Tag(kind.label, kind.colour))
    if np.isfinite(score):
        tags.append(Tag(f"score {wording.score(score)}"))
    if np.isfinite(iou):
        tags.append(Tag(f"IoU {wording.score(iou)}"))
    partner = int(table.partner[row])
    if of == "detections" and partner >= 0:
        other = run.objects.class_row[partner]
        tags += [Tag(f"on {run.class_names[other]}")] if other != table.class_row[row] else []
    return tuple(tags)


def _kind_tags(run: Run, query: Query, rows: Rows, scheme: str) -> tuple[Tag, ...]:
    """How many of each kind; all facts where there is one box only."""
    if len(rows) == 1:
        return _box_tags(run, query.of, int(rows[0]), scheme)
    table = run.boxes(query.of)
    labels = Counter(label_at(table, scheme, int(row)) for row in rows)
    tags = []
    for label, n in labels.most_common():
        kind = kind_named(label) if label else None
        tags.append(
            Tag(f"{n:,} {kind.label}", kind.colour) if kind else Tag(counted(n, "box", "boxes"))
        )
    best = float(np.nanmax(np.append(table.score[rows], -np.inf)))
    if np.isfinite(best):
        tags.append(Tag(f"best score {wording.score(best)}"))
    return tuple(tags)


def _image_tags(run: Run, query: Query, image_row: int) -> tuple[Tag, ...]:
    columns, name = run.images.columns, run.detector_names[query.detectors_of(run)[0]]
    tags = [Tag(counted(int(columns["n_objects"][image_row]), "object"))]
    for column, words in (
        (f"n_missed_{name}", "missed at any score"),
        (f"n_wrong_{name}", "wrong at any score (TIDE)"),
    ):
        if column in columns:
            tags.append(Tag(f"{columns[column][image_row]:,.0f} {words}"))
    if query.sort in {"loss", "unexpected", "disagreement"}:
        column = query.sort if query.sort == "disagreement" else f"{query.sort}_{name}"
        value = small_number(float(columns[column][image_row]))
        tags.append(Tag(f"{SORT_WORDS[query.sort]} {value or 'unknown'}"))
    return tuple(tags)
