"""Order, layout, paging and exports of the grid, held against the tables."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import polars as pl
import pytest

from browser.browsing import terms
from browser.counting import heading, picked
from browser.grid_form import found, press_show, tick

# What is sorted by, and whether the largest comes first if nothing is said.
SORTS = {
    "score": True,
    "loss": True,
    "disagreement": True,
    "unexpected": True,
    "iou": True,
    "area": True,
    "rank": False,
    "image": False,
}
POSSIBLE = {
    "detections": set(SORTS),
    "objects": set(SORTS) - {"rank"},
    "images": {"loss", "disagreement", "unexpected", "image"},
}
CASES = [(of, sort) for of, sorts in POSSIBLE.items() for sort in SORTS if sort in sorts]
NARROW = {"detections": "class=cup&detector=0&", "objects": "class=cup&detector=0&", "images": ""}


def image_rows(page) -> list[int]:
    """Of the cards, in their order."""
    links = page.locator(".card > a").evaluate_all("links => links.map((one) => one.pathname)")
    return [int(link.rpartition("/")[2]) for link in links]


def sort_values(run, of: str, sort: str, rows: pl.DataFrame) -> pl.Series:
    """What the rows are sorted by."""
    if sort == "image":
        return rows["image_row"]
    if of == "images":
        return rows[sort if sort == "disagreement" else f"{sort}_window"]
    if sort == "disagreement":
        known = run.images.select("image_id", "disagreement")
        return rows.join(known, on="image_id", how="left", maintain_order="left")[sort]
    if sort == "unexpected" and of == "detections":
        known = run.objects.select("detector", "unexpected", object_row="gt_row")
        keys = ["detector", "object_row"]
        return rows.join(known, on=keys, how="left", maintain_order="left")[sort]
    return rows[sort]


@pytest.mark.parametrize(("of", "sort"), CASES)
def test_a_sort_is_chosen_and_its_first_is_the_right_one(of, sort, app, run, visits):
    start = "image" if sort != "image" else "loss"
    page = visits.open(f"{app.address}images?of={of}&{NARROW[of]}sort={start}&show=boxes&per=12")
    offered = page.locator("select[name=sort] option").evaluate_all(
        "all => all.map((o) => o.value)"
    )
    assert set(offered) == POSSIBLE[of]
    with page.expect_navigation():
        page.locator("select[name=sort]").select_option(sort)
    asked = terms(page)
    rows = picked(run, asked)
    ordered = rows.with_columns(key=sort_values(run, of, sort, rows)).sort(
        "key", descending=SORTS[sort], nulls_last=True, maintain_order=True
    )
    assert image_rows(page) == ordered["image_row"].head(12).to_list()
    direction = page.locator("select[name=order]")
    assert direction.input_value() == ("desc" if SORTS[sort] else "asc")


def test_the_order_can_be_turned_around(app, run, visits):
    page = visits.open(f"{app.address}images?detector=0&class=cup&show=boxes&per=12")
    with page.expect_navigation():
        page.locator("select[name=order]").select_option("asc")
    lowest = picked(run, terms(page)).sort("score", maintain_order=True)
    assert image_rows(page) == lowest["image_row"].head(12).to_list()


def test_images_are_shown_once_and_boxes_each(app, run, visits):
    page = visits.open(f"{app.address}images?detector=0&class=cup&tide=cls&per=200")
    rows = picked(run, terms(page))
    assert page.locator(".card").count() == rows["image_id"].n_unique() < len(rows) <= 200
    with page.expect_navigation():
        page.locator("select[name=show]").select_option("boxes")
    assert page.locator(".card").count() == len(rows)
    with page.expect_navigation():
        page.locator("select[name=per]").select_option("12")
    assert page.locator(".card").count() == 12


def test_pages_follow_one_another_without_overlap_until_the_last(app, run, visits):
    page = visits.open(f"{app.address}images?of=images&per=48")
    seen: list[int] = image_rows(page)
    pages = page.get_by_role("navigation", name="Pages of the result")
    assert pages.get_by_role("link", name="Previous").count() == 0
    while pages.get_by_role("link", name="Next").count():
        with page.expect_navigation():
            pages.get_by_role("link", name="Next").click()
        seen += image_rows(page)
    assert seen == list(range(len(run.images)))
    assert pages.locator(".at").inner_text() == "page 5 of 5"
    for words, number in (("First", 1), ("Last", 5), ("Previous", 4)):
        with page.expect_navigation():
            pages.get_by_role("link", name=words, exact=True).click()
        assert pages.locator(".at").inner_text() == f"page {number} of 5"


def test_a_filter_on_a_later_page_begins_at_the_first(app, run, visits):
    page = visits.open(f"{app.address}images?per=12&page=7")
    tick(page, "class", "car")
    press_show(page)
    assert "page" not in dict(terms(page))
    assert found(page) == heading("detections", picked(run, terms(page)))


@pytest.fixture(params=["detections", "objects", "images"])
def exported(request, app, run, visits, tmp_path):
    """The grid of a selection, its rows, and a function that downloads."""
    filters = {"detections": "tide=cls&class=car", "objects": "undetected=1", "images": "find=01"}
    page = visits.open(f"{app.address}images?of={request.param}&{filters[request.param]}&per=12")

    def download(words: str) -> Path:
        with page.expect_download() as waiting:
            page.locator(".export").get_by_role("link", name=words).click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path

    return request.param, picked(run, terms(page)), download


def test_a_selection_is_exported_as_csv(exported):
    of, rows, download = exported
    path = download("CSV")
    assert re.fullmatch(rf"[\w.-]+-{of}\.csv", path.name)
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rows) > 0
    assert {line["image_id"] for line in lines} == set(rows["image_id"].cast(pl.String))


def test_a_selection_is_exported_as_coco_json(exported):
    of, rows, download = exported
    if of == "detections":
        # Results are those of one detector: there is a link for each.
        rows = rows.filter(detector="window")
    link = "COCO JSON of window" if of == "detections" else "COCO JSON"
    document = json.loads(download(link).read_text(encoding="utf-8"))
    boxes = document if isinstance(document, list) else document["annotations"]
    if of != "images":
        assert len(boxes) == len(rows)
    if isinstance(document, dict):
        assert {one["id"] for one in document["images"]} == set(rows["image_id"])


def test_a_selection_is_exported_as_a_list_of_images(exported):
    _, rows, download = exported
    names = download("image list").read_text(encoding="utf-8").splitlines()
    assert sorted(names) == sorted(set(rows["file_name"]))
