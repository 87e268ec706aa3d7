"""Records as JSON: by their fields, unless a field says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from boxlens.data import Notice
from boxlens.metrics.json_form import HIDDEN, IF_GIVEN, JsonRecord, as_key, inline, to_json


@dataclass(frozen=True, slots=True)
class Part(JsonRecord):
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Whole(JsonRecord):
    name: str = field(metadata=as_key("class"))
    row: int = field(metadata=HIDDEN)
    scores: Mapping[str, float] = field(metadata=inline())
    part: Part | None = field(metadata=inline())
    text: str = field(metadata=as_key("length", len))
    more: Part | None = field(default=None, metadata=IF_GIVEN)


def test_a_field_may_have_another_name_or_form_or_be_left_out():
    whole = Whole("cat", 3, {"AP": np.nan, "AR": 0.5}, Part(0.0, 1.0), "four")
    assert list(whole.to_json().items()) == [
        ("class", "cat"),
        ("AP", None),
        ("AR", 0.5),
        ("low", 0.0),
        ("high", 1.0),
        ("length", 4),
    ]


def test_what_was_not_asked_for_has_no_key():
    assert Whole("cat", 3, {}, None, "").to_json() == {"class": "cat", "length": 0}
    more = Part(0.0, float("nan"))
    assert Whole("cat", 3, {}, None, "", more).to_json()["more"] == {"low": 0.0, "high": None}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.float64("nan"), None),
        (np.int64(3), 3),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        (np.array(["a"], dtype=object), ["a"]),
        ((1, [2.5]), [1, [2.5]]),
        ({0.5: 1.0, 0.55: np.nan}, {"0.5": 1.0, "0.55": None}),
        ((Notice("ties", 1, "equal"),), [{"code": "ties", "count": 1, "message": "equal"}]),
    ],
)
def test_every_kind_of_value(value, expected):
    found = to_json(value)
    assert found == expected
    assert type(found) is type(expected)


def test_what_has_no_form_is_refused():
    with pytest.raises(TypeError, match="set has no form in JSON"):
        to_json({"names": {"a"}})
