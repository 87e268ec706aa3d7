"""Attributes from files: the same columns, whatever the form; commands read them, too."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest

import boxlens
from boxlens.errors import InputError
from running import boxlens_here

RECORDS = [
    {"object_id": 1, "light": "dim", "lux": 2.5},
    {"object_id": 2, "light": None, "lux": 40.0},
    {"object_id": 3, "light": "bright, cold", "lux": None},
]
CSV = 'object_id,light,lux\n1,dim,2.5\n\n2,,40\n3,"bright, cold",\n'


def _write(path, form):
    if form == "parquet":
        pl.DataFrame(RECORDS).write_parquet(path)
    elif form in ("records", "columns"):
        columns = {name: [one[name] for one in RECORDS] for name in RECORDS[0]}
        path.write_text(json.dumps(RECORDS if form == "records" else columns))
    elif form == "tsv":
        path.write_text("object_id\tlight\tlux\n1\tdim\t2.5\n2\t\t40\n3\tbright, cold\t\n")
    else:
        path.write_bytes(gzip.compress(CSV.encode()) if form == "packed" else CSV.encode())
    return path


@pytest.mark.parametrize("form", ["csv", "packed", "tsv", "records", "columns", "parquet"])
def test_every_form_says_the_same(form, tmp_path, demo):
    dataset = boxlens.read_dataset(demo / "ground_truth.json")
    path = _write(tmp_path / f"a.{form}", form)
    result = boxlens.sensitivity(dataset, demo / "window.json", attributes=path, by=["area"])
    found = result.dataset.gt
    rows = [found.id.tolist().index(one["object_id"]) for one in RECORDS]
    assert found.attributes["light"][rows].tolist() == ["dim", None, "bright, cold"]
    lux = found.attributes["lux"][rows].tolist()
    assert lux[:2] == [2.5, 40.0]
    assert lux[2] != lux[2]
    in_memory = dataset.with_attributes(pl.DataFrame(RECORDS)).gt.attributes
    assert in_memory["light"].tolist() == found.attributes["light"].tolist()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("object_id,light\n1,dim,3\n", "line 2: 3 fields, but the header has 2"),
        ("[1, 2]", "expected a list of records"),
        ("{", "not JSON"),
        ("object_id,light\n1,dim\n1,dark\n", "line 3: object 1 has two rows, this one and line 2"),
    ],
)
def test_a_bad_file_is_named_with_the_line(text, told, tmp_path, demo):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        boxlens.evaluate(demo / "ground_truth.json", demo / "window.json", attributes=path)
    assert told in str(caught.value)
    assert "a.csv" in str(caught.value)


def test_the_order_of_words_is_known_or_given(tmp_path, demo):
    dataset = boxlens.read_dataset(demo / "ground_truth.json")
    n = len(dataset.gt)
    words = [("low", "high", "zero", "medium")[at % 4] for at in range(n)]
    colours = [("red", "blue", "green")[at % 3] for at in range(n)]
    table = {"object_id": dataset.gt.id, "haze": words, "colour": colours}
    known, plain = boxlens.sensitivity(
        dataset, demo / "window.json", attributes=table, by=["haze", "colour"]
    ).characteristics
    assert known.subset_names == ("zero", "low", "medium", "high")
    assert plain.subset_names == ("blue", "green", "red")
    order = ("red", "white", "green", "blue")
    [given] = boxlens.sensitivity(
        dataset, demo / "window.json", attributes=table, by=["colour"], bins={"colour": order}
    ).characteristics
    assert given.subset_names == ("red", "green", "blue")
    by_name = dict(zip(plain.subset_names, plain.subset_ap_n, strict=True))
    assert given.subset_ap_n == tuple(by_name[name] for name in given.subset_names)
    with pytest.raises(
        boxlens.ParameterError,
        match="the order of 'colour' has all of its values: blue, green, red",
    ):
        boxlens.sensitivity(
            dataset,
            demo / "window.json",
            attributes=table,
            by=["colour"],
            bins={"colour": ("red",)},
        )


def test_a_command_joins_lists_and_hashes_the_file(tmp_path, demo):
    path = _write(tmp_path / "a.csv", "csv")
    done = boxlens_here(
        *("sensitivity", "ground_truth.json", "window.json", "--attributes", str(path)),
        *("--by", "lux", "--json", "-"),
        cwd=demo,
    )
    assert done.returncode == 0, done.stderr
    assert "have no row (ids" in done.stderr
    source = json.loads(done.stdout)["provenance"]["ground_truth"]["attributes"]
    assert (source["format"], source["size_bytes"]) == ("attributes", len(CSV))
    assert source["sha256"]
