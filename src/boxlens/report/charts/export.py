"""Figures as Vega-Lite specifications and as files: SVG, PDF, PNG."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import vl_convert

from boxlens.errors import ParameterError
from boxlens.report.charts.forms.layers import Spec

ChartFormat = Literal["svg", "pdf", "png"]
# Each from an SVG. PNG has twice the size in pixels: sharp on a screen of high density.
_WRITTEN: Mapping[ChartFormat, Callable[[str], bytes]] = {
    "svg": str.encode,
    "pdf": vl_convert.svg_to_pdf,
    "png": partial(vl_convert.svg_to_png, scale=2),
}
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"

# What vega-embed's menu offers: the picture, but not the editor, which is on the net.
# Expressions are interpreted, so that a page may forbid code that is made from text.
EMBED_OPTIONS = {
    "renderer": "svg",
    "ast": True,
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}


def figure_formats(text: str) -> tuple[ChartFormat, ...]:
    """ "svg,png" as formats; "none" writes no figures."""
    names = [name.strip().lower() for name in text.split(",")]
    if names == ["none"]:
        return ()
    unknown = [name for name in names if name not in _WRITTEN]
    if unknown:
        known = ", ".join(_WRITTEN)
        raise ParameterError(f"figures are written as {known} or none, got {unknown[0]!r}")
    return tuple(name for name in _WRITTEN if name in names)


def chart_json(chart: Spec) -> Spec:
    """The figure as a Vega-Lite specification, its data included."""
    datasets: dict[str, Any] = {}
    spec = {"$schema": SCHEMA, **_named_data(chart, datasets, {}), "datasets": datasets}
    return dict(_on_one_line(spec))


def _named_data(part: Any, datasets: dict[str, Any], names: dict[int, str]) -> Any:
    """Rows that several panels share stand once in the figure, by their name."""
    if isinstance(part, list):
        return [_named_data(one, datasets, names) for one in part]
    if not isinstance(part, dict):
        return part
    found = {}
    for key, one in part.items():
        if key == "data":
            name = names.setdefault(id(one["values"]), f"rows_{len(names) + 1}")
            datasets[name] = one["values"]
            found[key] = {"name": name}
        else:
            found[key] = _named_data(one, datasets, names)
    return found


def _on_one_line(value: Any) -> Any:
    """Vega reads these two signs as the end of a line, even inside a name."""
    if isinstance(value, str):
        return value.replace("\u2028", " ").replace("\u2029", " ")
    if isinstance(value, dict):
        return {_on_one_line(key): _on_one_line(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_on_one_line(one) for one in value]
    return value


def save_spec(
    spec: dict[str, Any], path_without_suffix: str | PathLike[str], formats: Sequence[ChartFormat]
) -> tuple[Path, ...]:
    """Writes one file per format, named by its suffix, and returns their paths."""
    # No figure refers to anything outside itself, and nothing may be fetched.
    svg = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    stem = Path(path_without_suffix)
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in formats:
        # Not with_suffix: a dot in the name is no suffix.
        paths.append(stem.with_name(f"{stem.name}.{name}"))
        paths[-1].write_bytes(_WRITTEN[name](svg))
    return tuple(paths)


def script_json(value: Any) -> str:
    """JSON for the inside of a script element, which a name with a tag in it must not end."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
