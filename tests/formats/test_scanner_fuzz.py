"""The scanner against orjson: equal values, equal refusals, on fuzzed texts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxlens import _kernel
from formats.scanner_texts import Writer, check, found_dataset, found_results, mutated
from oracles import scanned_json


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from((0.0, 0.0, 0.02)))
def test_results_are_read_as_orjson_reads_them(seed, carelessness):
    check(Writer(seed, carelessness).results(), found_results, scanned_json.results)


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from((0.0, 0.0, 0.01)))
def test_data_sets_are_read_as_orjson_reads_them(seed, carelessness):
    check(Writer(seed, carelessness).dataset(), found_dataset, scanned_json.dataset)


@pytest.mark.parametrize("start", range(0, 1200, 100))
def test_damaged_results_are_refused_as_orjson_refuses_them(start):
    accepted = sum(
        check(mutated(Writer(seed, 0.0).results(), seed), found_results, scanned_json.results)
        for seed in range(start, start + 100)
    )
    assert 0 < accepted < 100


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_damaged_data_sets_are_refused_as_orjson_refuses_them(start):
    accepted = sum(
        check(mutated(Writer(seed, 0.0).dataset(), seed), found_dataset, scanned_json.dataset)
        for seed in range(start, start + 100)
    )
    assert 0 < accepted < 100


@settings(max_examples=300)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.integers(-(2**70), 2**70)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    ),
    st.booleans(),
    st.sampled_from((None, 1, 3)),
)
def test_any_value_may_stand_beside_the_fields(value, ascii_only, indent):
    try:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    except UnicodeEncodeError:
        return
    record = b'{"image_id":1,"category_id":1,"bbox":[1,2,3,4],"other":%s,"score":1}' % text
    check(b"[%s,%s]" % (record, record), found_results, scanned_json.results)


@given(st.floats(min_value=0, allow_infinity=False))
def test_every_float_reads_back_as_itself(value):
    record = f'{{"image_id":1,"category_id":1,"bbox":[{-value!r},0,{value!r},1],"score":{value!r}}}'
    for text in (f"[{record}]", f"[{record},{record}]".ljust(400)):
        found = _kernel.scan_results(text.encode(), 1)["columns"]
        assert found["score"][0] == value
        assert found["bbox"][0].tolist() == [-value, 0, value, 1]


def test_nesting_ends_where_orjson_ends_it():
    def nested(depth):
        return b'[{"a":' + b"[" * depth + b"]" * depth + b"}]"

    for depth in (1021, 1022, 1023, 5000):
        oracle_says = depth <= 1022
        with pytest.raises(_kernel.ScanError) as error:
            _kernel.scan_results(nested(depth))
        assert ("missing" in error.value.problem) == oracle_says


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_ten_million_levels_are_refused_at_once(opening):
    with pytest.raises(_kernel.ScanError, match="nested deeper"):
        _kernel.scan_results(b"[" + opening * 10**6)
