"""Which rows an address of the app asks for, and in which order: row by row, in plain Python.

Tables are lists of dicts as the Parquet files have them; the address is a list of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
Pairs = Sequence[tuple[str, str]]

RANGES = ("score", "area", "iou", "loss", "rank", "top", "disagreement")
LAYOUT = ("of", "detector", "sort", "order", "show", "page", "per")
USUAL_ORDER = {"rank": "asc", "image": "asc"}
USUAL_SORT = {"detections": "score", "objects": "image", "images": "image"}
BORDERS = {"small": (0, 1024), "medium": (1024, 9216), "large": (9216, float("inf"))}


def selected(content: dict[str, Any], pairs: Pairs) -> tuple[list[int], list[int]]:
    """Rows of the table asked for, in order; and their images, each where it comes first."""
    asked = _grouped(pairs)
    of = asked.get("of", ["detections"])[0]
    names = [one["name"] for one in content["about"]["detectors"]]
    usual = range(len(names)) if of == "detections" else [0]
    detectors = [names[int(row)] for row in asked.get("detector", usual)]
    rows = [
        at
        for at, row in enumerate(content[of])
        if (of == "images" or row["detector"] in detectors) and _meets(content, of, row, asked)
    ]
    sort = asked.get("sort", [USUAL_SORT[of]])[0]
    order = asked.get("order", [USUAL_ORDER.get(sort, "desc")])[0]
    rows = _sorted(rows, [_number(content, of, at, sort, detectors[0]) for at in rows], order)
    images: list[int] = []
    for at in rows:
        image = at if of == "images" else content[of][at]["image_row"]
        if image not in images:
            images.append(image)
    return rows, images


def _grouped(pairs: Pairs) -> dict[str, list[str]]:
    asked: dict[str, list[str]] = {}
    for term, value in pairs:
        if value.strip() and value != "..":
            asked.setdefault(term, []).append(value)
    return asked


def _meets(content: dict[str, Any], of: str, row: Row, asked: dict[str, list[str]]) -> bool:
    return all(
        any(_is(content, of, row, term, value) for value in values)
        for term, values in asked.items()
        if term not in LAYOUT
    )


def _is(content: dict[str, Any], of: str, row: Row, term: str, value: str) -> bool:
    image = row if of == "images" else content["images"][row["image_row"]]
    if term == "find":
        text = value.casefold()
        return text in image["file_name"].casefold() or text in str(image["image_id"]).casefold()
    if term == "size":
        return _has_size(content, of, row, image, value)
    if term == "disagreement":
        return _lies_in(image["disagreement"], value)
    if term == "area":
        return _lies_in(_area(of, row), value)
    if term in RANGES:
        return _lies_in(row[term], value)
    if term == "undetected":
        return row[term] is not None and str(int(row[term])) == value
    if term.startswith(("attribute.", "characteristic.")):
        return _object_is(content, of, row, term, value)
    return row[term] == value


def _object_is(content: dict[str, Any], of: str, row: Row, term: str, value: str) -> bool:
    described = row if of == "objects" else _object_of(content, row)
    if described is None:
        return False
    what, _, name = term.partition(".")
    found = described[f"{what}_{name}"]
    kinds = {one["name"]: one["kind"] for one in content["about"]["attributes"]}
    kind = kinds[name] if what == "attribute" else "text"
    if found is None or kind == "text":
        return found == value
    return _lies_in(found, value)


def _object_of(content: dict[str, Any], det: Row) -> Row | None:
    """The row of the object that a detection lies on, as its own detector met it."""
    for row in content["objects"]:
        if row["detector"] == det["detector"] and row["gt_row"] == det["object_row"]:
            return row
    return None


def _area(of: str, row: Row) -> float:
    return row["w"] * row["h"] if of == "detections" else row["area"]


def _has_size(content: dict[str, Any], of: str, row: Row, image: Row, size: str) -> bool:
    area = _area(of, row)
    if content["about"]["dataset"]["relative"]:
        if image["width"] is None or image["height"] is None:
            return False
        area = area * (image["width"] * image["height"])
    low, high = BORDERS[size]
    return low <= area <= high


def _lies_in(number: float | None, text: str) -> bool:
    if number is None:
        return False
    low, dots, high = text.partition("..")
    if not dots:
        return number == float(text)
    return (not low or number >= float(low)) and (not high or number <= float(high))


def _number(content: dict[str, Any], of: str, at: int, sort: str, detector: str) -> float | None:
    row = content[of][at]
    image = row if of == "images" else content["images"][row["image_row"]]
    if sort == "image":
        return at if of == "images" else row["image_row"]
    if sort == "disagreement":
        return image["disagreement"]
    if of == "images":
        return row[f"{sort}_{detector}"]
    if sort == "area":
        return _area(of, row)
    if sort == "unexpected" and of == "detections":
        met = _object_of(content, row)
        return None if met is None else met["unexpected"]
    return row[sort]


def _sorted(rows: list[int], numbers: list[float | None], order: str) -> list[int]:
    """Insertion: before the first row that it goes before; missing last, ties by row."""
    known = [(number, row) for number, row in zip(numbers, rows, strict=True) if number is not None]
    missing = [row for number, row in zip(numbers, rows, strict=True) if number is None]
    placed: list[tuple[float, int]] = []
    for number, row in known:
        at = len(placed)
        while at and (number < placed[at - 1][0] if order == "asc" else number > placed[at - 1][0]):
            at -= 1
        placed.insert(at, (number, row))
    return [row for _, row in placed] + missing
