"""Numbers and names in sentences."""

from __future__ import annotations

import math

import pytest

from boxlens.proposals.words import (
    counted,
    enumerated,
    fraction,
    gain,
    mean_count,
    part_of,
    proposals_an_image,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1234, ".123"), (-0.5, "-.500"), (1, "1.000"), (-1e-5, ".000"), (math.nan, "n/a")],
)
def test_fractions_have_no_zero_in_front(value, text):
    assert fraction(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "+.100"), (-0.1, "-.100"), (1e-5, ".000"), (1, "+1.000")]
)
def test_a_gain_has_a_sign_unless_it_is_none(value, text):
    assert gain(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234.4, "1,234 proposals"),
        (9.96, "10 proposals"),
        (3.46, "3.5 proposals"),
        (1, "1 proposal"),
        (0.5, "0.5 proposals"),
        (0.02, "0.02 proposals"),
        (0, "0 proposals"),
    ],
)
def test_few_are_counted_to_a_tenth(value, text):
    assert proposals_an_image(value) == f"{text} an image"
    assert mean_count(math.nan) == "-"


def test_one_is_not_several():
    assert [counted(n, "class", "classes") for n in (0, 1, 2000)] == [
        "0 classes",
        "1 class",
        "2,000 classes",
    ]
    assert part_of(1, 5, "image") == "1 of 5 images is"
    assert part_of(2, 5, "image") == "2 of 5 images are"
    assert part_of(1, 1, "image") == "1 of 1 image is"
    assert [enumerated("abc"[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
