"""Figures drawn by other processes are those drawn here, and none of these is ever missed."""

from __future__ import annotations

import sys

import altair as alt
import pytest

from boxlens.report.charts.drawing import Drawing
from boxlens.report.charts.export import save_spec

FORMATS = ("svg", "pdf", "png")


def spec_of(value):
    rows = alt.InlineData(values=[{"name": "</script>", "value": value}])
    return dict(alt.Chart(rows).mark_bar().encode(x="value:Q", y="name:N").to_dict())


def drawn(formats, specs):
    with Drawing(formats) as drawing:
        for name, spec in specs.items():
            drawing.add(name, spec)
        return {path.name: path.read_bytes() for path in drawing.files()}


SPECS = {f"bar.{value}": spec_of(value) for value in range(6)}


@pytest.fixture(scope="module")
def bars():
    """Drawn by processes, in every format."""
    return drawn(FORMATS, SPECS)


def test_files_are_those_drawn_here_in_the_order_they_were_added(bars, tmp_path):
    assert list(bars) == [f"{name}.{ending}" for name in SPECS for ending in FORMATS]
    for name, spec in SPECS.items():
        (path,) = save_spec(spec, tmp_path / name, ("svg",))
        assert bars[path.name] == path.read_bytes()


def test_every_format_is_drawn(bars):
    for name in SPECS:
        assert bars[f"{name}.svg"].startswith(b"<svg")
        assert bars[f"{name}.pdf"].startswith(b"%PDF")
        assert bars[f"{name}.png"].startswith(b"\x89PNG")


def test_without_formats_nothing_is_drawn():
    assert drawn((), {"bar": spec_of(1)}) == {}


def test_where_no_process_can_be_started_figures_are_drawn_here(bars, monkeypatch):
    for nowhere in ("", "/usr/bin/false"):
        monkeypatch.setattr(sys, "executable", nowhere)
        assert drawn(("svg",), {"bar.1": SPECS["bar.1"]}) == {"bar.1.svg": bars["bar.1.svg"]}


def test_a_module_in_the_current_folder_is_not_taken_for_another(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit")
    (tmp_path / "vl_convert.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert drawn(("svg",), {"bar": spec_of(1)})["bar.svg"].startswith(b"<svg")


def test_a_figure_that_cannot_be_drawn_is_an_error_here():
    with pytest.raises(ValueError, match="conversion failed"):
        drawn(("svg",), {"none": {"mark": 5, "data": {"values": []}}})


def test_what_stops_the_work_stops_the_processes():
    drawing = Drawing(("svg",))
    drawing.add("bar", spec_of(1))
    with pytest.raises(KeyboardInterrupt), drawing:
        raise KeyboardInterrupt
    assert len(drawing._processes) > 0
    assert all(process.poll() is not None for process in drawing._processes)
