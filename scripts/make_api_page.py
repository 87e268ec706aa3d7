"""Writes docs/api.md from the docstrings of the public names: run it after changing one."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import boxlens
from boxlens.display import Displayed
from boxlens.formats.given import SHARED_HEAD, SHARED_SETTINGS

PAGE = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# Python

Every verb of the command line is a function of `boxlens`: ground truth, then detections, then
settings by keyword, named as the options are. Files and tables are taken alike. Examples use the
files that `boxlens demo --files .` writes.

Verbs have these settings in common, where they apply:

{shared}

<!-- Made by scripts/make_api_page.py from the docstrings: change those. -->
"""

RESULTS = """## Results

Every result shows itself in a notebook, and has these beside its own:

"""
TABLES = """## Tables and errors

Columns are read-only NumPy arrays: `Rows` int32, `Offsets` int64, `Floats` float64, `Boxes` float64
with four columns, `Bools` bool, `Ids` int64 or str, `Attribute` float64 or str; `Links` hold class
rows by image. A row is a position in a table, from 0; an id is what the file says.
"""


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
    parts += [RESULTS + _members(Displayed), *(_class(*one) for one in results.items())]
    parts += [TABLES, *(_class(*one) for one in others.items())]
    return re.sub(r"METHODS (\d+(?:\.\d+)*)", _linked, "\n".join(parts))


def _linked(cited: re.Match[str]) -> str:
    return f"[METHODS {cited[1]}](methods.md#m{cited[1].replace('.', '-')})"


def _function(name: str, one: Callable[..., object]) -> str:
    lines = [f"    {parameter}," for parameter in _parameters(one, _typed)]
    returns = str(inspect.signature(one).return_annotation).strip("'")
    body = "\n".join(lines)
    return f"### {name}\n\n```text\n{name}(\n{body}\n) -> {returns}\n```\n\n{_told(one)}\n"


def _parameters(
    one: Callable[..., object], written: Callable[[inspect.Parameter], str]
) -> Iterator[str]:
    keyword_only = False
    for parameter in inspect.signature(one).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            yield "*"
        if parameter.name not in ("self", "cls"):
            yield written(parameter)


def _typed(parameter: inspect.Parameter) -> str:
    return str(parameter).replace("'", "", 2)


def _bare(parameter: inspect.Parameter) -> str:
    return str(parameter.replace(annotation=parameter.empty, default=parameter.empty))


def _class(name: str, one: type) -> str:
    return f"### {name}\n\n{_told(one)}\n{_members(one)}"


def _members(one: type) -> str:
    """Tables of the fields and the methods that are the class's own."""
    notes = field_notes(one)
    fields = [f"| `{name}` | `{kind}` | {told} |" for name, (kind, told) in notes.items()]
    methods = [
        f"| `{_called(name, method)}` | {_line(inspect.getdoc(method) or '')} |"
        for name, method in own_methods(one).items()
    ]
    lines = ["| field | type | meaning |", "|---|---|---|", *fields, ""] if fields else []
    lines += ["| method or property | meaning |", "|---|---|", *methods, ""] if methods else []
    return "\n".join(lines)


def field_notes(one: type) -> dict[str, tuple[str, str]]:
    """Type and text of each public field that a class declares: the text is the string below it."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
    assert isinstance(tree, ast.ClassDef)
    notes: dict[str, tuple[str, str]] = {}
    for statement, below in zip(tree.body, [*tree.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign):
            continue
        name, kind = ast.unparse(statement.target), ast.unparse(statement.annotation)
        told = ""
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            told = _line(str(below.value.value))
        if not name.startswith("_"):
            notes[name] = kind.replace("|", "or"), told
    return notes


def own_methods(one: type) -> dict[str, object]:
    """Public methods, class methods and properties that a class defines itself, by name."""
    kinds = (property, cached_property, classmethod, staticmethod)
    return {
        name: method
        for name, method in vars(one).items()
        if not name.startswith("_") and (inspect.isfunction(method) or isinstance(method, kinds))
    }


def _called(name: str, method: object) -> str:
    """A method as it is called: names of its arguments alone, none for a property."""
    if isinstance(method, property | cached_property):
        return name
    arguments = ", ".join(_parameters(getattr(method, "__func__", method), _bare))
    return f"{name}({arguments})"


def _line(text: str) -> str:
    """In a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


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
