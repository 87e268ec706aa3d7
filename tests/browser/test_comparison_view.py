"""Two detectors side by side: the order of the images, one of them large, keys and addresses."""

from __future__ import annotations

import polars as pl
import pytest

from browser.browsing import expect

PER_PAGE = 12
KEYS = {
    "boxes": pl.col("disputed_boxes"),
    "disagreement": pl.col("disagreement"),
    "loss": (pl.col("loss_window") - pl.col("loss_region")).abs(),
    "a": pl.col("loss_window") - pl.col("loss_region"),
    "b": pl.col("loss_region") - pl.col("loss_window"),
}


def ordered(run, sort: str) -> list[int]:
    rows = run.images.with_columns(key=KEYS[sort])
    found = rows.sort("key", descending=True, nulls_last=True, maintain_order=True)
    return found["image_row"].to_list()


def listed(page) -> list[int]:
    links = page.locator(".pair .over a").evaluate_all(
        "links => links.map((one) => new URL(one.href).searchParams.get('image'))"
    )
    return [int(one) for one in links]


def view_boxes(page) -> list[str]:
    return page.locator("svg.stage").evaluate_all(
        "all => all.map((one) => one.getAttribute('viewBox'))"
    )


@pytest.mark.parametrize("sort", KEYS)
def test_the_most_different_images_come_first(sort, app, run, visits):
    page = visits.open(f"{app.address}compare")
    offered = page.locator("select[name=sort] option").evaluate_all(
        "all => all.map((o) => o.value)"
    )
    assert set(offered) == set(KEYS)
    page.locator("select[name=sort]").select_option(sort)
    with page.expect_navigation():
        page.get_by_role("button", name="Show").click()
    assert listed(page) == ordered(run, sort)[:PER_PAGE]


def test_sides_are_exchanged(app, visits):
    page = visits.open(f"{app.address}compare")
    for name, row in (("a", "1"), ("b", "0")):
        page.locator(f"select[name={name}]").select_option(row)
    with page.expect_navigation():
        page.get_by_role("button", name="Show").click()
    first = page.locator(".pair").first.locator("figcaption b").all_inner_texts()
    assert first == ["region", "window"]
    assert page.locator("h1").inner_text().startswith("region and window on 200 images")


def test_pages_of_the_comparison_do_not_overlap(app, run, visits):
    page = visits.open(f"{app.address}compare?sort=loss")
    seen = listed(page)
    pages = page.get_by_role("navigation", name="Pages of the comparison")
    for words in ("Next", "Last"):
        with page.expect_navigation():
            pages.get_by_role("link", name=words).click()
        seen += listed(page)
    order = ordered(run, "loss")
    n_last = len(order) % PER_PAGE or PER_PAGE
    assert seen == [*order[: 2 * PER_PAGE], *order[-n_last:]]


def test_two_of_the_same_detector_are_refused_with_a_reason(app, visits):
    visits.expected.append("status of 400")
    page = visits.open(f"{app.address}compare")
    page.locator("select[name=b]").select_option("0")
    with page.expect_navigation():
        page.get_by_role("button", name="Show").click()
    assert "same detector" in page.locator("main").inner_text()


def test_both_pictures_of_a_pair_show_the_same_part(app, visits):
    page = visits.open(f"{app.address}compare")
    with page.expect_navigation():
        page.locator(".pair .over a").first.click()
    whole = view_boxes(page)
    assert whole[0] == whole[1]
    page.keyboard.press("+")
    page.get_by_role("button", name="Zoom in").click()
    page.keyboard.press("Shift+ArrowRight")
    near = view_boxes(page)
    assert near[0] == near[1] != whole[0]
    # The second leads as well as the first.
    box = page.locator("#stage-2").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.wheel(0, -200)
    expect(page.locator("#stage-1")).not_to_have_attribute("viewBox", near[0])
    assert view_boxes(page)[0] == view_boxes(page)[1]
    page.keyboard.press("0")
    assert view_boxes(page) == whole


def test_each_side_has_the_boxes_of_its_detector(app, run, visits):
    page = visits.open(f"{app.address}compare?a=0&b=1&image=5")
    for number, detector in enumerate(run.about["detectors"]):
        own = run.detections.filter(detector=detector["name"], image_row=5)
        expected = own.filter(pl.col("score") >= detector["min_score"])
        boxes = page.locator(f'#stage-{number + 1} .box[data-layer="{number}"]:not([hidden])')
        assert boxes.count() == len(expected)
        assert page.locator(f"#stage-{number + 1} .names text").count() > 0


def test_keys_walk_through_the_comparison_and_back_to_the_list(app, run, visits):
    order = ordered(run, "a")
    page = visits.open(f"{app.address}compare?a=0&b=1&sort=a&image={order[PER_PAGE]}")
    for key, image in (("n", 13), ("ArrowRight", 14), ("p", 13), ("ArrowLeft", 12)):
        with page.expect_navigation():
            page.keyboard.press(key)
        assert page.url.endswith(f"image={order[image]}")
    with page.expect_navigation():
        page.keyboard.press("Escape")
    assert page.locator(".pages .at").inner_text().startswith("page 2 of")
    assert listed(page)[0] == order[PER_PAGE]


def test_a_pair_leads_to_the_image_with_all_boxes(app, visits):
    page = visits.open(f"{app.address}compare?a=0&b=1&image=5")
    with page.expect_navigation():
        page.get_by_role("link", name="All boxes").click()
    assert "/image/5?" in page.url


def test_one_detector_is_told_how_to_compare(blank_app, visits):
    page = visits.open(f"{blank_app.address}compare")
    assert "boxlens compare" in page.locator("main").inner_text()
    assert page.get_by_role("link", name="Compare").count() == 0
