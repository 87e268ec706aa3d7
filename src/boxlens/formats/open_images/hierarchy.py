"""The Open Images class hierarchy: nested JSON to a tree of classes and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from boxlens.data import ClassTree
from boxlens.errors import InputError
from boxlens.formats.files import read_json, write_text
from boxlens.formats.places import Place

_REMEDY = "A node is an object with LabelName and, where it has children, a list Subcategory"


def read_hierarchy(path: Path) -> ClassTree:
    """Subcategories are children; a part of a thing is not a kind of it, so parts get no parent."""
    content = read_json(path, remedy=_REMEDY)
    parents: dict[int | str, list[int | str]] = {}
    roots = content if isinstance(content, list) else [content]
    waiting: list[tuple[Any, str | None]] = [(node, None) for node in reversed(roots)]
    while waiting:
        node, parent = waiting.pop()
        label = _label(node, parent, path)
        above = parents.setdefault(label, [])
        if parent is not None and parent not in above:
            above.append(parent)
        place = Place(path, f"node {label}")
        waiting.extend((child, label) for child in reversed(_children(node, "Subcategory", place)))
        waiting.extend((part, None) for part in _children(node, "Part", place))
    tree = ClassTree({label: tuple(above) for label, above in parents.items()})
    _refuse_cycle(tree, path)
    return tree


def write_hierarchy(tree: ClassTree, path: Path) -> None:
    """One object, or a list where there are several roots; a node stands under all its parents."""
    _refuse_cycle(tree, path)
    children = tree.children()
    nodes = dict.fromkeys([*tree.parents, *children])
    roots = [node for node in nodes if not tree.parents.get(node)]

    def nested(node: int | str) -> dict[str, Any]:
        below = [nested(child) for child in children.get(node, ())]
        return {"LabelName": str(node), **({"Subcategory": below} if below else {})}

    content = [nested(root) for root in roots]
    write_text(path, json.dumps(content[0] if len(content) == 1 else content, indent=1))


def _label(node: Any, parent: str | None, path: Path) -> str:
    label = node.get("LabelName") if isinstance(node, dict) else None
    if not isinstance(label, str) or not label:
        where = None if parent is None else f"below {parent}"
        raise Place(path, where).error("a node without LabelName", _REMEDY)
    return label


def _children(node: dict[str, Any], key: str, place: Place) -> list[Any]:
    children = node.get(key, [])
    if not isinstance(children, list):
        raise place.error(f"{key} is not a list", _REMEDY)
    return children


def _refuse_cycle(tree: ClassTree, path: Path) -> None:
    ring = tree.cycle()
    if ring:
        raise InputError(
            f"class {ring[0]} is its own ancestor ({' < '.join(map(str, (*ring, ring[0])))})",
            path=path,
            remedy="Remove one of the links from the hierarchy",
        )
