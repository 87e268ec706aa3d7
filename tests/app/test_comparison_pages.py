"""Two detectors side by side: what is asked for, in which order, and what each side says."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from app.page_elements import links
from app.run_folders import write_run as write_small_run
from app.sites import ROOT, site_of
from app.toy_run import write_run
from boxlens.app.pages.comparison_view import comparison_view, parse_comparison
from boxlens.app.pages.views import compare_page, overview_page
from boxlens.app.selecting.terms import QueryError


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return site_of(write_small_run(tmp_path_factory.mktemp("small") / "out"))


def test_one_detector_alone_is_told_what_a_comparison_needs(tmp_path):
    write_run(tmp_path, seed=1, n_detections=(30,))
    site = site_of(tmp_path)
    for pairs in ([], [("image", "0")]):
        assert "boxlens compare" in compare_page(site, pairs)
    assert f"{ROOT}compare" not in links(overview_page(site))


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("c", "1")], "unknown term"),
        ([("a", "0"), ("b", "0")], "same detector"),
        ([("a", "2")], "whole number"),
        ([("a", "-1")], "whole number"),
        ([("b", "٣")], "whole number"),
        ([("page", "99999999999999999999")], "whole number"),
        ([("sort", "name")], "expected"),
        ([("image", "6")], "whole number"),
        ([("a", "0"), ("a", "1")], "once"),
    ],
)
def test_a_comparison_that_is_not_there_is_refused_in_words(small, pairs, words):
    with pytest.raises(QueryError, match=words):
        compare_page(small, pairs)


def test_images_are_compared_from_the_largest_difference_down(small):
    columns = small.run.images.columns
    for sort, key in (
        ("disagreement", columns["disagreement"]),
        ("loss", np.abs(columns["loss_alpha"] - columns["loss_beta"])),
        ("b", columns["loss_beta"] - columns["loss_alpha"]),
    ):
        view = comparison_view(small, parse_comparison(small.run, [("sort", sort)]))
        shown = [int(dict(parse_qsl(urlsplit(one.href).query))["image"]) for one in view.pairs]
        assert shown == np.argsort(-key, kind="stable").tolist()


def test_both_sides_say_what_their_detector_finds_above_its_cut(small):
    view = comparison_view(small, parse_comparison(small.run, []))
    for pair in view.pairs:
        row = int(dict(parse_qsl(urlsplit(pair.href).query))["image"])
        for number, side in enumerate(pair.sides):
            objects = small.run.objects
            counted = [
                one
                for one in objects.of_image(row, number)
                if "outside"
                not in [
                    codes.at(one) for codes in map(objects.codes.get, small.run.about["schemes"])
                ]
            ]
            n_found = sum(objects.score[one] >= 0.5 for one in counted)
            noun = "object" if len(counted) == 1 else "objects"
            assert side.words[0] == f"finds {n_found} of {len(counted)} {noun}"
            drawn = [box for box in side.scene.boxes if box.layer == str(number)]
            rows = small.run.detections.of_image(row, number)
            assert len(drawn) == (small.run.detections.score[rows] >= 0.5).sum()
