"""YAML as values, checked before it is built: a few lines of it can stand for gigabytes."""

from __future__ import annotations

from os import PathLike
from typing import Any

from boxlens.errors import InputError
from boxlens.formats.files import read_text, reason_of

# A megabyte takes its parser a dozen seconds.
MOST_BYTES = 2 << 20
DEEPEST = 100
# With every alias written out.
MOST_VALUES = 1_000_000


def read_yaml(path: str | PathLike[str]) -> Any:
    """Texts, lists and mappings: a class named "no" or "7" stays text."""
    import yaml

    text = read_text(path, MOST_BYTES)
    try:
        check_yaml(text, path, aliases=False)
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - builds text only
    except yaml.YAMLError as problem:
        reason = reason_of(problem)
        raise InputError(f"not YAML ({reason})", path=path, remedy="Correct the line") from problem


def check_yaml(text: str, path: str | PathLike[str], *, aliases: bool) -> None:
    """Refuses what would take very long or fill the memory, as soon as it is seen."""
    import yaml

    # For every list or mapping that is open: its anchor, and how many values it holds.
    open_parts: list[tuple[str | None, int]] = [(None, 0)]
    size_of: dict[str, int] = {}
    for event in yaml.parse(text):
        if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            open_parts.append((event.anchor, 0))
            if len(open_parts) > DEEPEST:
                raise InputError("not YAML (nested too deeply)", path=path, remedy="Write it flat")
            continue
        size = 1
        if isinstance(event, yaml.AliasEvent):
            if not aliases:
                raise InputError(
                    "aliases (*name) are not supported", path=path, remedy="Write them out"
                )
            size = size_of.get(str(event.anchor), 1)
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            anchor, size = open_parts.pop()
            if anchor is not None:
                size_of[anchor] = size
        above, held = open_parts[-1]
        open_parts[-1] = (above, held + size)
        if held + size > MOST_VALUES:
            raise InputError(
                f"expands to more than {MOST_VALUES:,} values",
                path=path,
                remedy="Write out its aliases (*name)",
            )
