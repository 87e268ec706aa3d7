"""Tables of what classes are like: both forms, their order, their quantities, their mistakes."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import pytest

from boxlens.data import Classes
from boxlens.data.class_properties import ClassProperties
from boxlens.errors import InputError
from boxlens.formats.class_properties import read_class_properties
from shared_data import ROOT, shared

CLASSES = Classes.of([1, 2, 3, 40], ["cat", "dog", "hot dog", "airplane"])
ORIGIN = ("natural", "natural", "man-made", "man-made")
SIZE = ("S", "M", None, "XL")
CSV = "class,origin,size\ncat,natural,S\ndog,natural,M\nhot dog,man-made,\nairplane,man-made,XL\n"


def table(tmp_path, text, classes=CLASSES):
    path = tmp_path / "table"
    path.write_bytes(text.encode())
    return read_class_properties(path, classes)


def refused(tmp_path, text, classes=CLASSES):
    with pytest.raises(InputError) as caught:
        table(tmp_path, text, classes)
    assert str(tmp_path / "table") in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


def numbered(values):
    """A table of one column `x` for so many classes, and the classes."""
    names = [f"c{at}" for at in range(len(values))]
    lines = [f"{name},{value}" for name, value in zip(names, values, strict=True)]
    return "\n".join(["class,x", *lines]), Classes.of(range(len(values)), names)


TEXTS = {
    "comma": CSV,
    "semicolon": CSV.replace(",", ";"),
    "tab": CSV.replace(",", "\t"),
    "windows": CSV.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + CSV,
    "blanks": "\n Class , origin , size\n\ncat, natural ,S\n dog,natural,M\nhot dog,man-made,\n,,\nairplane,man-made,XL",
    "quotes": CSV.replace("hot dog", '"hot dog"'),
    "ids": CSV.replace("\ncat,", "\n1,").replace("\nairplane,", "\n40,"),
    "class last": "origin,size,class\nnatural,S,cat\nnatural,M,dog\nman-made,,hot dog\nman-made,XL,airplane\n",
    "nameless empty column": CSV.replace("\n", ",\n"),
    "toml by class": """
        # our judgement
        [cat]
        origin = "natural"
        size = "S"
        [2]
        origin = "natural"
        size = "M"
        ["hot dog"]
        origin = "man-made"
        size = ""
        [airplane]
        origin = "man-made"
        size = "XL"
        """,
    "toml by property": """
        [origin]
        natural = ["cat", 2]
        man-made = ["hot dog", "airplane"]
        [size]
        S = ["cat"]
        M = [2]
        XL = ["airplane"]
        """,
    "toml inline": """
        'origin'= {natural = ["cat", "dog"], "man-made" = ["hot dog", 40]}
        size.S = ["cat"]
        size.M = ["dog"]
        size.XL = [40]
        """,
}


@pytest.mark.parametrize("form", TEXTS)
def test_every_form_of_a_table_reads_alike(tmp_path, form):
    properties = table(tmp_path, TEXTS[form])
    assert properties.values == {"origin": ORIGIN, "size": SIZE}
    assert properties.order == {"origin": ("natural", "man-made"), "size": ("S", "M", "XL")}
    assert properties.numbers == {}
    assert properties.notices == ()


def test_a_packed_table_is_read_as_it_is(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    assert read_class_properties(str(path), CLASSES).values["origin"] == ORIGIN


def test_groups_are_rows_of_classes_in_the_order_of_the_values(tmp_path):
    groups = table(tmp_path, CSV).groups("size")
    assert [(value, rows.tolist()) for value, rows in groups] == [
        ("S", [0]),
        ("M", [1]),
        ("XL", [3]),
    ]


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (["XL", "s", "XS", "M"], ["XS", "s", "M", "XL"]),
        (["large", "small", "medium"], ["small", "medium", "large"]),
        (["high", "none", "medium", "low"], ["none", "low", "medium", "high"]),
        (["red", "blue", "green"], ["red", "blue", "green"]),
        (["high", "low", "odd"], ["high", "low", "odd"]),
        (["10", "9", "1.50", "9.0"], ["1.5", "9", "10"]),
        (["0.1", "-2"], ["-2", "0.1"]),
        (["1", "-0", "0.0"], ["0", "1"]),
    ],
)
def test_words_of_a_scale_and_numbers_keep_their_order_and_others_that_of_the_table(
    tmp_path, values, order
):
    properties = table(tmp_path, *numbered(values))
    assert list(properties.order["x"]) == order
    assert {value for value, _ in properties.groups("x")} == set(properties.values["x"])


def test_first_appearance_is_that_of_the_table_not_of_the_classes(tmp_path):
    properties = table(tmp_path, "class,kind\nairplane,b\ncat,a\ndog,b\nhot dog,c\n")
    assert properties.order["kind"] == ("b", "a", "c")


def test_many_numbers_are_a_quantity_whose_groups_are_quarters(tmp_path):
    properties = table(tmp_path, *numbered(["8", "7", "6", "", "5", "4.25", "3", "2.1", "1e0"]))
    assert properties.numbers["x"].tolist()[:3] == [8, 7, 6]
    assert np.flatnonzero(np.isnan(properties.numbers["x"])).tolist() == [3]
    assert not properties.numbers["x"].flags.writeable
    assert properties.order["x"] == ("1-2.1", "3-4.25", "5-6", "7-8")
    assert properties.values["x"] == (
        *("7-8", "7-8", "5-6", None, "5-6"),
        *("3-4.25", "3-4.25", "1-2.1", "1-2.1"),
    )


def test_six_numbers_are_groups_and_seven_are_a_quantity(tmp_path):
    assert table(tmp_path, *numbered([1, 2, 3, 4, 5, 6, 6])).numbers == {}
    assert list(table(tmp_path, *numbered([1, 2, 3, 4, 5, 6, 7])).numbers) == ["x"]


@pytest.mark.parametrize("seed", range(6))
def test_quarters_keep_equal_numbers_together_and_follow_one_another(tmp_path, seed):
    random = np.random.default_rng(seed)
    numbers = np.r_[np.arange(7), random.integers(-5, 9, 40)] * random.choice([1, 0.1, 1e-7, 1e9])
    properties = ClassProperties.of(
        47, {"x": {row: repr(float(n)) for row, n in enumerate(numbers)}}
    )
    groups = properties.groups("x")
    assert 2 <= len(groups) <= 4
    assert sum(len(rows) for _, rows in groups) == 47
    for (_, below), (_, above) in itertools.pairwise(groups):
        assert numbers[below].max() < numbers[above].min()
    distinct = ClassProperties.of(47, {"x": {row: str(row**2) for row in range(47)}})
    assert [len(rows) for _, rows in distinct.groups("x")] == [12, 12, 12, 11]


@pytest.mark.parametrize(
    ("numbers", "names"),
    [
        ([1.0001, 1.0002, 1.0003, 1.0004, 1.0005, 1.0006, 1.0007, 1.0008], "1.0001-1.0002"),
        ([1234.56, 2000, 3000, 4000, 5000, 6000, 7000, 8000.25], "1235-2000"),
        ([-8, -7, -6, -5, -4, -3, -2, -1], "-8 to -7"),
        ([5, 5, 5, 6, 7, 8, 9, 10, 11, 12], "5"),
        ([1e20, 2e20, 3e20, 4e20, 5e20, 6e20, 7e20, 8e20], "1e+20-2e+20"),
    ],
)
def test_quarters_are_named_by_ranges_that_can_be_told_apart(tmp_path, numbers, names):
    properties = table(tmp_path, *numbered(numbers))
    assert properties.order["x"][0] == names
    assert len(set(properties.order["x"])) == 4


def test_numbers_and_yes_or_no_of_toml(tmp_path):
    properties = table(
        tmp_path, "[cat]\nlegs = 4\nflies = false\n[airplane]\nlegs = 0\nflies = true"
    )
    assert properties.values == {"legs": ("4", None, None, "0"), "flies": ("no", None, None, "yes")}
    assert properties.order["legs"] == ("0", "4")


def test_differences_between_table_and_classes_are_named_with_what_is_close(tmp_path):
    text = "class,kind\naeroplane,a\ncat,a\nhot dog,b\nunicorn,b\n"
    strangers, untold = table(tmp_path, text).notices
    assert (strangers.code, strangers.count) == ("property_without_class", 2)
    assert "'aeroplane' (did you mean 'airplane'?), 'unicorn'" in strangers.message
    assert (untold.code, untold.count) == ("class_without_property", 2)
    assert untold.message.endswith("2 classes are not in the class table: 'dog', 'airplane'")


def test_only_classes_that_are_not_in_the_table_are_suggested(tmp_path):
    (strangers, _) = table(tmp_path, "class,kind\nCat,a\ncats,a\ncat,a\n").notices
    assert "did you mean" not in strangers.message


def test_twelve_names_are_listed_and_the_others_counted(tmp_path):
    lines = [f"thing{at},a" for at in range(1014)]
    strangers, untold = table(tmp_path, "\n".join(["class,kind", "cat,b", *lines])).notices
    assert strangers.count == 1014
    assert strangers.message.endswith("'thing11' and 1,002 more")
    assert untold.count == 3


def test_rows_that_are_no_class_add_no_value_and_no_number(tmp_path):
    text = "class,x\ncat,1\ndog,2\nhot dog,3\nairplane,4\nunicorn,many\n"
    properties = table(tmp_path, text)
    assert properties.order["x"] == ("1", "2", "3", "4")


def test_a_row_without_values_is_still_a_row(tmp_path):
    properties = table(tmp_path, "class,kind\ncat,a\ndog,\nhot dog,b\nairplane,b\n")
    assert properties.notices == ()
    assert properties.values["kind"] == ("a", None, "b", "b")


def test_classes_of_one_name_share_a_row(tmp_path):
    twins = Classes.of([1, 2, 3], ["cat", "cat", "dog"])
    properties = table(tmp_path, "class,kind\ncat,a\ndog,b\n", twins)
    assert properties.values["kind"] == ("a", "a", "b")


def test_a_name_goes_before_an_id(tmp_path):
    swapped = Classes.of([1, 2], ["2", "1"])
    assert table(tmp_path, "class,kind\n1,one\n2,two\n", swapped).values["kind"] == ("two", "one")


def test_columns_that_group_nothing_are_left_out_and_told(tmp_path):
    _, classes = numbered(range(8))
    lines = [f"c{at},n0{at}a,,{'ab'[at % 2]}" for at in range(8)]
    properties = table(tmp_path, "\n".join(["class,wnid,empty,kind", *lines]), classes)
    assert list(properties.values) == ["kind"]
    assert [notice.code for notice in properties.notices] == [
        "property_without_groups",
        "property_without_value",
    ]
    assert "'wnid'" in properties.notices[0].message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["line 1", "missing column 'class'; found nothing"]),
        ("name,kind\ncat,a\n", ["line 1", "missing column 'class'; found 'name', 'kind'"]),
        (
            "{" + "1," * 9000 + "}",
            ["missing column 'class'; found '{1', '1', '1', '1', '1', '1' ...."],
        ),
        ("class\ncat\n", ["no property"]),
        ("class,kind,kind\ncat,a,b\n", ["line 1", "duplicate column 'kind'"]),
        ("class,kind,CLASS\ncat,a,b\n", ["line 1", "duplicate column 'class'"]),
        ("class,kind\ncat,a\n\ndog,b\ncat,b\n", ["line 5", "'cat' already has a row (line 2)"]),
        ("class,kind\ncat,a\n1,a\n", ["line 3", "'cat' (line 2) and '1' are one class"]),
        ("class,kind\ncat,a,b\n", ["line 2", "3 cells, but there are 2 columns"]),
        ("class,kind,size\ncat,a\n", ["line 2", "2 cells, but there are 3 columns"]),
        ("class,,kind\ncat,x,a\n", ["line 2", "'x' is in a column without a name"]),
        ("class,kind\n,a\n", ["line 2", "no class name"]),
        ('class,kind\ncat,"a\ndog,b\n', ["not CSV", "Close every quote"]),
        ('class,kind\ncat,"a"b\n', ["line 2", "not CSV"]),
        (
            "class,kind\nwolf,a\nfox,b\n",
            ["no class of the data set", "'wolf', 'fox'", "'cat', 'dog'"],
        ),
        ("class,kind\n", ["no class of the data set", "'cat', 'dog'"]),
        ("[cat]\nkind = \n", ["line 2", "not TOML", "in quotes"]),
        ("[hot dog]\nkind = 'a'\n", ["line 1", "not TOML", '["hot dog"]']),
        ("[cat]\nkind='a'\n[cat]\nkind='b'\n", ["line 3", "not TOML"]),
        ("[cat]\nkind='a'\n[1]\nkind='b'\n", ["[1]", "'cat' ([cat]) and '1' are one class"]),
        ("kind = 'a'\n", ["kind", "expected a table, got 'a'"]),
        ("[cat]\n[dog]\n", ["no property"]),
        ("[cat]\nkind = 'a'\nalso = ['b']\n", ["cat.also", "a word or a number, got ['b']"]),
        ("[cat]\nkind = 1979-05-27\n", ["cat.kind", "a word or a number"]),
        ("[cat.paws]\nfront = 2\n", ["cat.paws", "a word or a number"]),
        ("[k]\na=['cat']\nb=['dog']\nc='x'\n", ["k.c", "expected a list of classes, got 'x'"]),
        ("[k]\na=[['cat']]\n", ["k.a", "a word or a number, got ['cat']"]),
        ("[k]\na=['cat']\nb=['cat']\n", ["k.b", "'cat' occurs here also under 'a'"]),
        ("[k]\na=['cat', 'cat']\n", ["k.a", "'cat' occurs here twice"]),
        ("[k]\na=['cat', 1]\n", ["k.a", "'cat' (k.a) and '1' are one class"]),
        ("[k]\na=['wolf']\n", ["no class of the data set, but 'wolf'"]),
    ],
)
def test_a_mistake_is_named_with_its_place_and_remedy(tmp_path, text, parts):
    message = refused(tmp_path, text)
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize("odd", ["nan", "-inf", "n/a", "1,5", "12 kg"])
def test_a_word_among_many_numbers_is_refused(tmp_path, odd):
    text, classes = numbered([1, 2, 3, 4, 5, 6, 7, f'"{odd}"'])
    message = refused(tmp_path, text, classes)
    assert f"property 'x': '{odd}' is not a finite number" in message


def test_what_is_no_text_is_refused(tmp_path):
    path = tmp_path / "table"
    path.write_bytes(b"class,kind\ncat,\xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_class_properties(path, CLASSES)


def test_no_damage_to_a_table_ends_in_another_error(tmp_path):
    random = np.random.default_rng(7)
    originals = [TEXTS[form] for form in ("comma", "toml by class", "toml by property")]
    n_read = 0
    for turn in range(600):
        text = list(originals[turn % 3])
        for _ in range(random.integers(1, 6)):
            at = int(random.integers(0, len(text)))
            text[at : at + int(random.integers(0, 4))] = random.choice(list("[]=\"',\n#{}x1.\0 "))
        try:
            properties = table(tmp_path, "".join(text))
        except InputError:
            continue
        n_read += 1
        for name, values in properties.values.items():
            assert set(values) - {None} == set(properties.order[name])
    assert n_read > 50


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "1" * 5000])
def test_toml_beyond_all_limits_is_refused(tmp_path, value):
    assert "not TOML" in refused(tmp_path, f"[cat]\nkind = {value}\n")


def test_the_example_table_names_every_class_of_coco_once():
    from boxlens.formats.coco import read_dataset

    dataset = read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    properties = read_class_properties(
        ROOT / "examples" / "coco_class_properties.csv", dataset.classes
    )
    assert properties.notices == ()
    assert all(value is not None for values in properties.values.values() for value in values)
    assert properties.order["real_world_size"] == ("XS", "S", "M", "L", "XL")
    assert list(properties.numbers) == ["longest_side_m"]
