"""Without a mouse: everything is reached by Tab, what has the focus shows it, and can be skipped to."""

from __future__ import annotations

import pytest

PAGES = {
    "overview": "",
    "grid": "images?class=car&tide=cls&per=12",
    "objects": "images?of=objects&undetected=1&per=12",
    "image": "image/3",
    "compare": "compare",
    "pair": "compare?a=0&b=1&image=5",
}
# All that a user can work, in the order of the page; of radio buttons one a group.
WORKABLE = """() => {
  const all = document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']");
  const seen = [...all].filter((one) => !one.disabled && one.checkVisibility()
    && !one.closest("details:not([open]) > :not(summary)") && one.type !== "hidden"
    && !(one.type === "radio" && !one.checked));
  seen.forEach((one, place) => { one.dataset.place = place; });
  return seen.map((one) => one.outerHTML.slice(0, 160));
}"""
# Where the focus is, and whether it looks any different there.
FOCUSED = """() => {
  const one = document.activeElement;
  if (one === document.body) return null;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return {
    place: one.dataset.place ?? null,
    what: one.outerHTML.slice(0, 160),
    marked: (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none",
    inSight: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
  };
}"""

SCROLLED_TO = f"""() => {{
  const inSight = ({FOCUSED})().inSight;
  if (!inSight) document.activeElement.scrollIntoView({{ block: "nearest" }});
  return inSight;
}}"""


@pytest.mark.parametrize("name", PAGES)
def test_tab_reaches_everything_and_shows_where_it_is(name, app, visits):
    page = visits.open(app.address + PAGES[name])
    workable = page.evaluate(WORKABLE)
    assert len(workable) > 10
    reached = set()
    for _ in range(len(workable) + 20):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at is None or at["place"] in reached:
            break
        reached.add(at["place"])
        assert at["marked"], at["what"]
        # The page scrolls to it; a figure above that is drawn then may move it out of sight again.
        page.wait_for_function(SCROLLED_TO)
    missed = [what for place, what in enumerate(workable) if str(place) not in reached]
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("name", PAGES)
def test_the_first_link_skips_to_the_content(name, app, visits):
    page = visits.open(app.address + PAGES[name])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_filters_are_worked_by_keyboard_alone(app, visits):
    page = visits.open(f"{app.address}images?per=12")
    page.locator("details.filter > summary", has_text="Class").first.focus()
    page.keyboard.press("Enter")
    page.locator('input[name="class"][value="car"]').focus()
    page.keyboard.press("Space")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "class=car" in page.url
