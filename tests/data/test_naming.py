"""Lists of names in messages."""

from __future__ import annotations

from boxlens.data.naming import some_names


def test_long_lists_are_cut_and_what_is_left_out_is_counted():
    assert some_names([]) == ""
    assert some_names(["cat", "dog"], most=2) == "cat, dog"
    assert some_names(iter(["cat", "dog", "owl"]), most=2) == "cat, dog and 1 more"
    assert some_names(map(str, range(2000)), most=1) == "0 and 1,999 more"
