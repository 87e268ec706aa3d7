"""What an upper bound leaves behind: the page, the tables and results.json agree."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import ImageColor

from boxlens.images import find_images
from boxlens.report.described import extras_of
from boxlens.report.described.upper_bound import COLOUR
from report.bound_results import BOUND_WORLDS, numbered
from report.drawn import page_without_figures
from report.test_page import Reader

whole = BOUND_WORLDS["detectors and context"]


@pytest.fixture
def files(written):
    return find_images(written[0].parent / "pictures")[0]


@pytest.fixture
def written(written_verb):
    return written_verb("upper-bound")


def cropped_groups(result, files):
    return extras_of(result).pictures(files, 8.0, None).gallery.groups


def test_pictures_that_could_not_be_used_are_named(written):
    reader = Reader((written[0] / "report.html").read_text(encoding="utf-8"))
    shown = " ".join(reader.text)
    assert "1 failure" in shown
    assert "7.png cannot be read (truncated)" in " ".join(shown.split())
    assert "2 objects have no pixel in their picture" in shown


def test_mistakes_are_shown_where_there_are_pictures_and_listed_in_any_case(written, files):
    page = (written[0] / "report.html").read_text(encoding="utf-8")
    # Two mistakes each in pictures 1 and 2; of picture 3 there is no file.
    assert page.count('src="data:image/jpeg;base64,') == 4
    listed = page[page.rindex("Wrong labels, the most confident first") :].split("</table>")[0]
    assert listed.count("<tr>") == 1 + 5
    (cropped,) = cropped_groups(whole(), files)
    assert [crop.shown.caption for crop in cropped.crops][:2] == [
        ("van 0.950", "is car"),
        ("bus 0.850", "is van"),
    ]
    for crop in cropped.crops:
        distance = np.abs(np.asarray(crop.image).astype(int) - ImageColor.getrgb(COLOUR)).sum(-1)
        assert (distance == 0).any()


def test_mistakes_in_fractions_of_their_image_are_shown_where_they_are(files):
    """The pictures are 32 x 24."""
    result = whole()
    relative = tuple(replace(one, box=one.box / (32, 24, 32, 24)) for one in result.mistakes)
    (shown,) = cropped_groups(replace(result, mistakes=relative, relative=True), files)
    (in_pixels,) = cropped_groups(result, files)
    for mine, plain in zip(shown.crops, in_pixels.crops, strict=True):
        assert np.array_equal(np.asarray(mine.image), np.asarray(plain.image))


def test_what_was_not_asked_for_has_no_section():
    for world, section in (("no context, one way", "context"), ("undefined", "mistakes")):
        assert section not in Reader(page_without_figures(BOUND_WORLDS[world]())).linked


def test_tables_hold_the_numbers_of_the_result():
    result = whole()
    tables = result.tables()
    summary = tables["bound_summary"]
    assert summary["strategy"].to_list() == [one.strategy for one in result.strategies]
    assert summary["UAP"].to_list() == [one.uap for one in result.strategies]
    assert summary["UAP_low"].to_list() == [one.interval.low for one in result.strategies]
    assert summary["n_labelled"].to_list() == [one.n_labelled for one in result.strategies]
    assert summary["r_squared"].to_list() == [
        one.correlation.r_squared for one in result.strategies
    ]
    detectors = tables["bound_detectors"]
    assert detectors["AP"].to_list() == [one.ap for one in result.detectors]
    assert detectors["share_of_UAP"].to_list() == [one.share for one in result.detectors]
    assert detectors["gap_high"].to_list() == [one.gap.high for one in result.detectors]
    classes = tables["bound_classes"]
    own = classes.filter(of="strategy", name="own_box")
    assert own["class"].to_list() == [one.name for one in result.bound.classes]
    assert own["AP"].to_list() == [one.uap for one in result.bound.classes]
    assert own["accuracy"].to_list() == [one.accuracy for one in result.bound.classes]
    mine = classes.filter(of="detector", name="region")
    assert mine["AP"].to_list() == list(result.detectors[1].by_class)
    assert mine["accuracy"].null_count() == len(mine)


def test_tables_by_overlap_size_context_and_mistake_hold_them_too():
    result = whole()
    tables = result.tables()
    curve = tables["bound_by_iou"].filter(name="most_frequent")
    assert dict(zip(curve["iou"], curve["AP"], strict=True)) == result.strategies[2].by_iou
    sizes = tables["bound_by_size"].filter(name="window")
    assert dict(zip(sizes["size"], sizes["AP"], strict=True)) == {
        "all": result.detectors[0].ap,
        **result.detectors[0].by_size,
    }
    context = tables["bound_context"]
    assert context["accuracy"].to_list() == [one.accuracy for one in result.context]
    assert context["scale"].null_count() == 2
    mistakes = tables["bound_mistakes"]
    assert mistakes["object_id"].to_list() == [str(one.object_id) for one in result.mistakes]
    assert mistakes.select("x", "y", "w", "h").rows() == [
        tuple(one.box.tolist()) for one in result.mistakes
    ]


def test_classes_begin_with_the_widest_gap_and_many_are_folded():
    result = whole()
    page = page_without_figures(result)
    table = page[page.index("<figcaption>Classes<") :].split("</table>")[0]
    gaps = [
        one.uap - ap
        for one, ap in zip(result.bound.classes, result.detectors[0].by_class, strict=True)
    ]
    ordered = [result.bound.classes[row].name for row in np.argsort(gaps)[::-1]]
    assert re.findall(r'<th scope="row">([^<]+)</th>', table) == ordered
    folded = page_without_figures(BOUND_WORLDS["many of all"]())
    assert "<summary>All 80 classes</summary>" in folded
    assert all(f">{name}<" in folded for name in numbered(80))


def test_gaps_of_classes_are_those_of_the_best_detector_of_all():
    result = whole()
    best, other = result.detectors
    # The second detector is ahead in one class, and that changes no gap.
    ahead = replace(other, by_class=(0.99, *other.by_class[1:]))
    page = page_without_figures(replace(result, detectors=(best, ahead)))
    table = page[page.index("<figcaption>Classes<") :].split("</table>")[0]
    assert ">gap of window<" in table
    assert "best over all classes" in page
    first = result.bound.classes[0]
    row = table[table.index(f">{first.name}</th>") :].split("</tr>")[0]
    assert row.rstrip().endswith(f">{first.uap - best.by_class[0]:.3f}</td>")


def test_sizes_of_which_there_are_no_objects_have_no_column():
    result = BOUND_WORLDS["half undefined"]()
    for undefined, n in ((result.bound.by_size, 0), (result.strategies[1].by_size, 1)):
        sizes = {**undefined, "large": math.nan}
        changed = [replace(one, by_size=sizes) for one in result.strategies[: 3 - n]]
        strategies = (*changed, *result.strategies[3 - n :])
        page = page_without_figures(replace(result, strategies=strategies))
        table = page[page.index("Ways to find labels") :].split("</table>")[0]
        assert ("UAP, large" in table) == bool(n)
        assert "UAP, small" in table
