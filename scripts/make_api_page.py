"""Writes docs/api.md from the docstrings of the public names: run it after changing one."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import boxlens
from boxlens.formats.given import SHARED_HEAD, SHARED_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# Python

Every verb of the command line is a function of `boxlens`: ground truth, then detections, then
settings by keyword, named as the options are. Files and tables are taken alike. Examples use the
files that `boxlens demo --files .` writes.

Every result has `sentences`, `tables()`, `figures()`, `save(folder)` and `to_json()`, and shows
itself in a notebook.

Verbs have these settings in common, where they apply:

{shared}

<!-- Made by scripts/make_api_page.py from the docstrings: change those. -->
"""

# Fields that mean the same in every result.
SHARED = {
    "choice": "What was asked for, as checked.",
    "dataset": "The ground truth: its name, or the table.",
    "n_images": "How many images were looked at.",
    "n_objects": "How many objects there are.",
    "notices": "What was skipped or filled in.",
    "parameters": "What was asked for, as in the JSON.",
    "provenance": "The inputs with their hashes, and the version.",
    "protocol": "Whose rules were followed.",
}


def page() -> str:
    """The whole page."""
    names = [name for name in boxlens.__all__ if not name.startswith("_")]
    public = {name: getattr(boxlens, name) for name in names}
    functions = {name: one for name, one in public.items() if inspect.isfunction(one)}
    results = {name: one for name, one in public.items() if name.endswith("Result")}
    others = {name: one for name, one in public.items() if name not in {*functions, *results}}
    shared = [f"| `{name}` | {told} |" for name, told in SHARED_SETTINGS.items()]
    head = HEAD.format(shared="\n".join(["| setting | meaning |", "|---|---|", *shared]))
    parts = [head, "## Functions\n", *(_function(*one) for one in functions.items())]
    parts += ["## Results\n", *(_class(*one) for one in results.items())]
    parts += ["## Tables and errors\n", *(_class(*one) for one in others.items())]
    return re.sub(r"METHODS (\d+(?:\.\d+)*)", _linked, "\n".join(parts))


def _linked(cited: re.Match[str]) -> str:
    return f"[METHODS {cited[1]}](methods.md#m{cited[1].replace('.', '-')})"


def _function(name: str, one: Callable[..., object]) -> str:
    lines = [f"    {parameter}," for parameter in _parameters(one)]
    returns = str(inspect.signature(one).return_annotation).strip("'")
    body = "\n".join(lines)
    return f"### {name}\n\n```text\n{name}(\n{body}\n) -> {returns}\n```\n\n{_told(one)}\n"


def _parameters(one: Callable[..., object]) -> Iterator[str]:
    keyword_only = False
    for parameter in inspect.signature(one).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            yield "*"
        yield str(parameter).replace("'", "", 2)


def _class(name: str, one: type) -> str:
    fields = ""
    if dataclasses.is_dataclass(one):
        told = field_notes(one)
        rows = [
            f"| `{field.name}` | `{_type(field)}` | {told.get(field.name, '')} |"
            for field in dataclasses.fields(one)
            if not field.name.startswith("_")
        ]
        fields = "\n".join(["| field | type | meaning |", "|---|---|---|", *rows, ""])
    return f"### {name}\n\n{_told(one)}\n{fields}"


def _type(field: dataclasses.Field[object]) -> str:
    return str(field.type).replace("|", "or")


def field_notes(one: type) -> dict[str, str]:
    """The docstring below, or the comment above, each field of a class, by the field's name."""
    notes: dict[str, str] = {}
    waiting: list[str] = []
    name = ""
    for line in inspect.getsource(one).splitlines():
        text = line.strip()
        field = re.match(r"    (\w+): ", line)
        if text.startswith("# "):
            waiting.append(text[2:])
            continue
        if field:
            name = field[1]
            notes[name] = " ".join(waiting)
        elif text.startswith('"""') and name:
            notes[name] = text.strip('"')
        waiting = []
        name = name if field else ""
    return {**SHARED, **{name: told for name, told in notes.items() if told}}


def _told(one: object) -> str:
    """The docstring, without settings that all verbs share; examples as code."""
    text = (inspect.getdoc(one) or "").partition(SHARED_HEAD)[0].rstrip()
    blocks = [
        f"```pycon\n{block}\n```" if block.startswith(">>>") else block
        for block in text.split("\n\n")
    ]
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
