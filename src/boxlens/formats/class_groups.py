"""Groups of similar classes from a file: named lists, bare lists, or a class tree.

JSON or YAML. `{"pets": ["cat", "dog"]}` and `[["cat", "dog"]]` are groups; in a tree
(`LabelName`/`Subcategory` as Open Images has it, or `id`/`children`) siblings are a group.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from os import PathLike
from typing import Any

from boxlens.data import Classes
from boxlens.data.naming import some_names
from boxlens.data.similarity import Similarity
from boxlens.errors import InputError
from boxlens.formats.files import read_text
from boxlens.formats.places import Place
from boxlens.formats.yaml_files import MOST_BYTES, check_yaml

# Not files: what the classes tell, or nothing.
WORDS = ("supercategory", "tree", "none")
CHILDREN = {"Subcategory", "children"}
REMEDY = "Give lists of class names, such as {pets: [cat, dog], vehicles: [car, bus]}"


def read_similarity(
    given: Similarity | Mapping[str, Collection[str]] | str | PathLike[str],
    classes: Classes,
    used: Classes | None = None,
) -> Similarity:
    """However similar classes are given: a word, groups, named groups, or a file of either.

    Groups may name any of `classes`; those that are not `used` leave them.
    """
    if isinstance(given, PathLike) or (isinstance(given, str) and given not in WORDS):
        given = read_class_groups(given, classes)
    if isinstance(given, Mapping):
        given = list(given.values())
    if given is None or isinstance(given, str):
        return () if given == "none" else given
    gone = set() if used is None else set(classes.name) - set(used.name)
    return [[name for name in group if name not in gone] for group in given] if gone else given


def read_class_groups(path: str | PathLike[str], classes: Classes) -> list[list[str]]:
    """Groups of the names of these classes; names or ids in the file, classes may repeat."""
    content = parsed_json_or_yaml(path, "groups of classes", REMEDY)
    name_of = {str(key): name for key, name in zip(classes.id.tolist(), classes.name, strict=True)}
    name_of |= {name: name for name in classes.name}
    nodes = content if isinstance(content, list) else [content]
    if any(_is_node(node) for node in nodes):
        groups = [
            [name_of[name] for name in group if name in name_of] for group in _sisters(nodes, path)
        ]
        kept = [list(dict.fromkeys(group)) for group in groups if len(set(group)) > 1]
        if not kept:
            raise InputError(
                "no two classes of the data set share a parent in this tree",
                path=path,
                remedy=f"Its nodes must be class names or ids, such as {classes.name[0]!r}"
                if len(classes)
                else None,
            )
        return kept
    lists = list(content.values()) if isinstance(content, dict) else content
    file = Place(path)
    return [_known(group, name_of, file.at(f"group {n}")) for n, group in enumerate(lists, start=1)]


def parsed_json_or_yaml(path: str | PathLike[str], what: str, remedy: str) -> Any:
    """A mapping or a list that is not empty; `what` it should hold, for messages."""
    text = read_text(path)
    try:
        try:
            content = json.loads(text)
        except ValueError:
            content = _parsed_yaml(text, path, remedy)
    except RecursionError as problem:
        raise InputError("is nested too deeply", path=path, remedy=remedy) from problem
    if not isinstance(content, (dict, list)) or not content:
        raise InputError(f"contains no {what}", path=path, remedy=remedy)
    return content


def _parsed_yaml(text: str, path: str | PathLike[str], remedy: str) -> Any:
    import yaml

    if len(text) > MOST_BYTES:
        problem = f"not JSON, and too long for YAML (at most {MOST_BYTES:,} bytes)"
        raise InputError(problem, path=path, remedy=remedy)
    try:
        check_yaml(text, path, aliases=True)
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as problem:  # also invalid dates and numbers
        place = getattr(problem, "problem_mark", None)
        where = None if place is None else f"line {place.line + 1}"
        raise Place(path, where).error("neither JSON nor YAML", remedy) from problem


def _known(group: Any, name_of: dict[str, str], place: Place) -> list[str]:
    if not isinstance(group, list):
        raise place.error(f"expected a list of classes, got {group!r}", REMEDY)
    unknown = [item for item in group if str(item) not in name_of]
    if unknown:
        classes = some_names(dict.fromkeys(name_of.values()))
        raise place.error(f"unknown class {unknown[0]!r}", f"Its classes are {classes}")
    return [name_of[str(item)] for item in group]


def _is_node(node: Any) -> bool:
    """A mapping of lists of names is groups, even if one of them is called "children"."""
    if not isinstance(node, dict) or CHILDREN.isdisjoint(node):
        return False
    return not all(
        isinstance(value, list) and not any(isinstance(item, dict) for item in value)
        for value in node.values()
    )


def _sisters(nodes: list[Any], path: str | PathLike[str]) -> Iterator[list[str]]:
    """The names of the children of every node, without parts of an object (Open Images' Part)."""
    by_id = {str(node["id"]): node for node in nodes if isinstance(node, dict) and "id" in node}
    waiting = list(nodes)
    # By identity: a node of YAML may be its own child.
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            raise InputError(f"expected a node of a tree, got {node!r}", path=path, remedy=REMEDY)
        if id(node) in seen:
            continue
        seen.add(id(node))
        children = node.get("Subcategory") or node.get("children") or []
        if not isinstance(children, list):
            raise Place(path).error(f"expected a list of children, got {children!r}", REMEDY)
        yield [name for child in children for name in _names(child, by_id)]
        waiting += [child for child in children if isinstance(child, dict)]


def _names(node: Any, by_id: dict[str, Any]) -> list[str]:
    if not isinstance(node, dict):
        node = by_id.get(str(node), {"id": node})
    names = node.get("names")
    more = names if isinstance(names, list) else []
    keys = [node.get("LabelName"), node.get("id"), node.get("name"), *more]
    return [str(key) for key in keys if key is not None]
