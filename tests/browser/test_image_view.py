"""One image: zoom, layers, scores, and the table that is linked with its boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from browser.browsing import PHONE, expect
from browser.stage import listed, middle, shown, view_box

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGE = 3


@pytest.fixture
def page(app, visits) -> Page:
    return visits.open(f"{app.address}image/{IMAGE}")


def test_boxes_of_truth_and_of_each_detector_are_drawn_from_their_cut(page, run):
    n_objects = len(run.objects.filter(detector="window", image_row=IMAGE))
    assert shown(page, "truth") == n_objects
    for layer, detector in enumerate(run.about["detectors"]):
        own = run.detections.filter(detector=detector["name"], image_row=IMAGE)
        assert page.locator(f'#stage .box[data-layer="{layer}"]').count() == len(own)
        assert shown(page, str(layer)) == (own["score"] >= detector["min_score"]).sum()
    assert listed(page) == page.locator("#stage .box:not([hidden])").count()


def test_the_picture_is_there_in_its_own_size(page, run):
    row = run.images.row(IMAGE, named=True)
    assert view_box(page) == [0, 0, row["width"], row["height"]]
    loaded = page.locator("#stage image").evaluate(
        """async (one) => {
          const picture = new Image();
          picture.src = one.href.baseVal;
          await picture.decode();
          return [picture.naturalWidth, picture.naturalHeight];
        }"""
    )
    assert loaded == [row["width"], row["height"]]


def test_the_wheel_zooms_where_it_points_and_back(page):
    whole = view_box(page)
    x, y = middle(page, "#stage")
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    expect(page.locator("#stage.zoomed")).to_have_count(1)
    near = view_box(page)
    assert near[2] < whole[2]
    assert near[0] + near[2] / 2 == pytest.approx(whole[2] / 2, abs=2)
    for _ in range(4):
        page.mouse.wheel(0, 300)
    expect(page.locator("#stage:not(.zoomed)")).to_have_count(1)
    assert view_box(page) == pytest.approx(whole)


def test_keys_and_buttons_zoom_and_show_the_whole_again(page):
    whole = view_box(page)
    for nearer, farther in (("+", "-"), ("=", "_")):
        page.keyboard.press(nearer)
        page.keyboard.press(nearer)
        near = view_box(page)
        assert near[2] < whole[2]
        page.keyboard.press(farther)
        assert near[2] < view_box(page)[2] < whole[2]
        page.keyboard.press("0")
        assert view_box(page) == whole
    page.get_by_role("button", name="Zoom in").click()
    assert view_box(page)[2] < whole[2]
    page.get_by_role("button", name="Zoom out").click()
    assert view_box(page) == pytest.approx(whole)
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="whole").click()
    assert view_box(page) == whole
    page.locator("#stage").dblclick(position={"x": 5, "y": 5})
    assert view_box(page)[2] < whole[2]


def test_a_picture_from_near_is_moved_by_keys_and_by_dragging(page):
    for _ in range(4):
        page.keyboard.press("+")
    before = view_box(page)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    moved = view_box(page)
    assert moved[0] > before[0]
    assert moved[1] > before[1]
    assert moved[2:] == before[2:]
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowUp")
    assert view_box(page) == pytest.approx(before)
    x, y = middle(page, "#stage")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y - 30, steps=4)
    page.mouse.up()
    dragged = view_box(page)
    assert dragged[0] > before[0]
    assert dragged[1] > before[1]
    assert page.locator("#stage .chosen").count() == 0


def test_it_is_never_moved_beyond_its_edges(page):
    whole = view_box(page)
    page.keyboard.press("+")
    for _ in range(30):
        page.keyboard.press("Shift+ArrowLeft")
    assert view_box(page)[0] == 0
    for _ in range(30):
        page.keyboard.press("Shift+ArrowDown")
    x, y, width, height = view_box(page)
    assert y + height == pytest.approx(whole[3])
    assert (x, width) == (0, pytest.approx(whole[2] / 1.3))


@pytest.mark.parametrize(("layer", "key"), [("truth", "g"), ("0", "1"), ("1", "2")])
def test_a_layer_is_hidden_and_shown_by_its_box_and_its_key(layer, key, page):
    n_boxes, n_rows = shown(page, layer), listed(page)
    assert n_boxes > 0
    toggle = page.locator(f'input[data-layer="{layer}"]')
    for act in (toggle.click, lambda: page.keyboard.press(key)):
        act()
        assert shown(page, layer) == 0
        assert listed(page) == n_rows - n_boxes
        assert f"hide={layer}" in page.url
        act()
        assert shown(page, layer) == n_boxes
        assert "hide" not in page.url


def test_labels_are_hidden_and_shown(page):
    assert page.locator("#stage .names text").count() > 0
    page.keyboard.press("l")
    assert page.locator("#stage .names text").count() == 0
    page.get_by_label("labels").check()
    assert page.locator("#stage .names text").count() > 0


def test_the_slider_cuts_the_scores(page, run):
    slider = page.locator('input[data-cut="0"]')
    own = run.detections.filter(detector="window", image_row=IMAGE)["score"]
    for cut in ("0", "0.1", "0.5"):
        slider.fill(cut)
        assert shown(page, "0") == (own >= float(cut)).sum()
    slider.focus()
    page.keyboard.press("Home")
    assert shown(page, "0") == len(own)
    page.keyboard.press("End")
    assert shown(page, "0") == (own >= 1).sum()
    assert f"/image/{IMAGE}" in page.url


def test_letters_work_while_the_slider_is_held(page):
    page.locator('input[data-cut="0"]').focus()
    page.keyboard.press("g")
    assert shown(page, "truth") == 0
    page.keyboard.press("g")
    assert shown(page, "truth") > 0


def test_colours_follow_the_scheme_that_is_chosen(page, run):
    box = page.locator('#stage .box[data-layer="0"]:not([hidden])').first
    row = int(box.get_attribute("data-box")[1:])
    words = page.locator(f'#boxes tr[data-box="d{row}"] .kind .words')
    told = {}
    for place, (scheme, about) in enumerate(run.about["schemes"].items()):
        page.locator("#scheme").select_option(label=about["title"])
        told[scheme] = words.inner_text()
        assert told[scheme]
        swatch = page.locator(f'#boxes tr[data-box="d{row}"] .kind rect')
        assert swatch.get_attribute("fill") == box.locator(".edge").get_attribute("stroke")
        assert page.locator("#legend li").count() > 0
        assert ("scheme=" in page.url) == (place > 0)


def test_pointing_at_a_box_marks_its_row_and_the_other_way_round(page):
    row = page.locator('#boxes tbody tr[data-box^="d"]:not([hidden])').first
    name = row.get_attribute("data-box")
    box = page.locator(f'#stage .box[data-box="{name}"]')
    row.hover()
    expect(page.locator("#stage .box.pointed")).to_have_attribute("data-box", name)
    page.mouse.move(0, 0)
    expect(page.locator(".pointed")).to_have_count(0)
    row.get_by_role("button").focus()
    expect(page.locator("#stage .box.pointed")).to_have_attribute("data-box", name)
    box.dispatch_event("pointerover")
    expect(page.locator("#boxes tr.pointed")).to_have_attribute("data-box", name)


def test_a_row_is_chosen_by_keyboard_and_let_go_by_escape(page, app):
    button = page.locator('#boxes tbody tr[data-box^="d"]:not([hidden]) button').first
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.locator("#stage .box.chosen").count() == 1
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert page.url.startswith(f"{app.address}image/{IMAGE}")


def test_a_click_on_a_box_chooses_it(page):
    box = page.locator("#stage .box:not([hidden])").last
    name = box.get_attribute("data-box")
    box.locator(".edge").click(force=True)
    expect(page.locator("#boxes tr.chosen")).to_have_attribute("data-box", name)


def test_the_table_is_sorted_by_its_headings(page):
    heading = page.locator("#boxes th", has_text="Score")
    for direction in ("descending", "ascending"):
        heading.get_by_role("button").press("Enter")
        expect(heading).to_have_attribute("aria-sort", direction)
        cells = page.locator("#boxes tbody tr td:nth-child(3)").evaluate_all(
            "all => all.map((one) => one.dataset.value)"
        )
        numbers = [float(one) for one in cells if one]
        assert numbers == sorted(numbers, reverse=direction == "descending")
        assert cells[-1] == ""


def test_without_pictures_boxes_lie_on_a_canvas_of_the_right_shape(blank_app, solo_run, visits):
    page = visits.open(f"{blank_app.address}image/{IMAGE}")
    row = solo_run.images.row(IMAGE, named=True)
    assert view_box(page) == [0, 0, row["width"], row["height"]]
    box = page.locator("#stage").bounding_box()
    assert box["width"] / box["height"] == pytest.approx(row["width"] / row["height"], rel=0.02)
    assert page.locator("#stage image").count() == 0
    assert page.locator("#stage .canvas").count() == 1
    own = solo_run.detections.filter(pl.col("image_row") == IMAGE)
    assert page.locator('#stage .box[data-layer="0"]').count() == len(own)


def test_a_pinch_on_a_phone_zooms(app, visits):
    page = visits.open(f"{app.address}image/{IMAGE}", size=PHONE, has_touch=True)
    whole = view_box(page)
    x, y = middle(page, "#stage")
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *places: float) -> None:
        points = [{"x": place, "y": y, "id": finger} for finger, place in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", x - 20, x + 20)
    for spread in (30, 45, 60):
        touch("touchMove", x - spread, x + spread)
    touch("touchEnd")
    expect(page.locator("#stage.zoomed")).to_have_count(1)
    assert view_box(page)[2] < whole[2]
