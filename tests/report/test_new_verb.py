"""A verb is one result and one description: every surface then shows it, with nothing else written."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import polars as pl
import pytest

from boxlens.display import Displayed
from boxlens.metrics.results import Provenance, envelope
from boxlens.report.charts.forms.axes import Axis, Names
from boxlens.report.charts.forms.marks import bars
from boxlens.report.charts.forms.panels import name_rows
from boxlens.report.charts.forms.tables import table_rows
from boxlens.report.described import DESCRIBED, describe
from boxlens.report.readers.terminal import study_text
from boxlens.report.study import COUNT, SHARE, TEXT, Column, Plot, Section, Study, Table
from boxlens.version import VERSION


@dataclass(frozen=True, slots=True)
class CensusResult(Displayed):
    """How many objects each class has."""

    n_objects: dict[str, int]
    notices: tuple[Any, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return envelope(
            "boxlens/census/1",
            provenance=Provenance(VERSION, None, ()),
            parameters={},
            dataset=None,
            notices=self.notices,
            results={"n_objects": self.n_objects},
        )


def study(result: CensusResult) -> Study:
    total = sum(result.n_objects.values())
    table = Table(
        "census",
        "Objects of every class",
        list(result.n_objects.items()),
        [
            Column("class", "class", lambda row: row[0], TEXT),
            Column("n_objects", "objects", lambda row: row[1], COUNT),
            Column("share", "share", lambda row: row[1] / total, SHARE),
        ],
    )
    names = Names.of(result.n_objects)
    rows = table_rows(table, row="class", value="n_objects")
    draw = partial(name_rows, rows, names, Axis("objects"), bars("value"), width=200)
    plot = Plot("census", "Objects by class", "Long bars: common classes.", draw)
    return Study(
        title="Census",
        data="a set",
        facts=("2 classes",),
        sentences=("cat is the most common class.",),
        tiles=(("objects", total, COUNT),),
        sections=(Section("census", "Classes", (plot, table)),),
    )


@pytest.fixture
def result(monkeypatch):
    module = ModuleType("boxlens.report.described.census")
    module.study = study
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(DESCRIBED, "CensusResult", "census")
    return CensusResult({"cat": 1500, "dog": 500})


def test_a_result_and_a_description_are_all_that_a_verb_needs(result, tmp_path):
    assert result.sentences == ("cat is the most common class.",)
    (frame,) = result.tables().values()
    known = pl.DataFrame({"class": ["cat", "dog"], "n_objects": [1500, 500], "share": [0.75, 0.25]})
    assert frame.equals(known)
    assert list(result.figures()) == ["census"]
    for text in (study_text(describe(result)), result._repr_html_()):
        assert all(shown in text for shown in ("Census on a set", "1,500", "75%"))
    line = result.save(tmp_path / "out")
    assert line == f"{tmp_path}/out/: report.html, results.json, 1 table, 1 figure (svg)"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert all(shown in page for shown in ("1,500", "75%", "Long bars: common classes."))
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == result.to_json()
    tables = tmp_path / "out" / "tables"
    assert pl.read_parquet(tables / "census.parquet").equals(known)
    assert pl.read_csv(tables / "census.csv").equals(known)
