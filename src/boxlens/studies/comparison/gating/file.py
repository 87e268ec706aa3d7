"""Rules, slices and settings of a gate from a TOML file; a key that nobody knows is refused."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from boxlens.errors import InputError, ParameterError
from boxlens.formats.files import read_text, reason_of
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.protocols import PROTOCOLS
from boxlens.studies.comparison.gating.mistakes import Place
from boxlens.studies.comparison.gating.rules import Rule, rule_of_fields
from boxlens.studies.comparison.gating.slices import SliceRecipe, slice_recipe

SECTIONS = ("gate", "rule", "slices")
# Settings and what they are; whole numbers are numbers too.
SETTINGS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "level": ((float, int), "a number"),
    "replicates": ((int,), "a whole number"),
    "seed": ((int,), "a whole number"),
    "protocol": ((str,), "a text"),
}
# Settings that resampling knows by another name.
RESAMPLING = {"replicates": "n_replicates"}


@dataclass(frozen=True, slots=True)
class GateFile:
    """What a file asks for; settings it does not name are not there."""

    rules: tuple[Rule, ...] = ()
    slices: Mapping[str, SliceRecipe] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def read_gate_file(path: str | PathLike[str]) -> GateFile:
    """Checks everything that can be checked without the data."""
    name = str(path)
    try:
        content = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as problem:  # also endless numbers, and nests too deep
        raise InputError(
            f"not TOML ({reason_of(problem)})",
            path=path,
            remedy="Correct the line, or see docs/gate.md",
        ) from problem
    for key in content:
        if key not in SECTIONS:
            raise Place("top level", name).unknown("section", key, SECTIONS)
    return GateFile(
        rules=_rules(content.get("rule", []), name),
        slices=_slices(content.get("slices", {}), name),
        settings=_settings(content.get("gate", {}), name),
    )


def _rules(tables: Any, path: str) -> tuple[Rule, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise Place("rule", path).mistake("rules are tables", "Begin each with a line [[rule]]")
    return tuple(
        rule_of_fields(table, Place(f"rule {number}", path))
        for number, table in enumerate(tables, start=1)
    )


def _slices(tables: Any, path: str) -> dict[str, SliceRecipe]:
    if not isinstance(tables, dict):
        raise Place("slices", path).mistake("slices are tables", "Begin each with [slices.NAME]")
    folder = Path(path).parent
    return {
        name: slice_recipe(fields, Place(f"slice {name}", path), folder=folder)
        for name, fields in tables.items()
    }


def _settings(table: Any, path: str) -> dict[str, Any]:
    place = Place("gate", path)
    if not isinstance(table, dict):
        raise place.mistake("the settings are a table", "Begin them with a line [gate]")
    for key, value in table.items():
        if key not in SETTINGS:
            raise place.unknown("setting", key, SETTINGS)
        kinds, words = SETTINGS[key]
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise place.mistake(f"{key} is {words}, got {value!r}")
        _check_setting(key, value, place)
    return dict(table)


def _check_setting(key: str, value: Any, place: Place) -> None:
    if key == "protocol":
        if value not in PROTOCOLS:
            raise place.unknown("protocol", value, PROTOCOLS)
        return
    try:
        ResamplingChoice(**{RESAMPLING.get(key, key): value})
    except ParameterError as problem:
        raise place.mistake(f"{key}: {problem}") from problem
