"""The nodes of a class tree as a file names them, whichever of the usual forms it has.

Nested nodes (`LabelName`/`Subcategory` as Open Images has them, or `id`/`names`/`children`),
`{"child": "parent"}`, groups `{"animal": ["cat", "dog"]}`, or CSV lines of child and parent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from boxlens.formats.class_groups import parsed_json_or_yaml
from boxlens.formats.csv_rows import csv_rows
from boxlens.formats.files import plain_name, read_text
from boxlens.formats.places import Place

KEYS = ("LabelName", "id", "name")
CHILDREN = ("Subcategory", "children")
CSV_HEADER = ["child", "parent"]
REMEDY = (
    "Give nested nodes (LabelName and Subcategory, or id and children), groups such as "
    "{animal: [cat, dog]}, parents such as {cat: animal}, or CSV lines under child,parent"
)


@dataclass(frozen=True, slots=True)
class TreeNodes:
    """By key: the keys above a node, and its further names."""

    parents: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    # Lists of classes rather than a general tree: a leaf that is not a class may be a typo.
    listed: bool = False

    def add(self, key: str, parent: str | None, names: Iterable[str] = ()) -> None:
        above = self.parents.setdefault(key, [])
        if parent is not None:
            self.parents.setdefault(parent, [])
            if parent not in above:
                above.append(parent)
        known = self.names.setdefault(key, [])
        known.extend(name for name in dict.fromkeys(names) if name not in known)

    def leaves(self) -> list[str]:
        inner = {parent for above in self.parents.values() for parent in above}
        return [key for key in self.parents if key not in inner]


def read_tree_nodes(path: str | PathLike[str], known: Collection[str]) -> TreeNodes:
    """Names and ids of classes (`known`) show whether a list holds parents or children."""
    file, rows = Place(path), _csv_rows(path)
    if rows is not None:
        return _linked(_csv_pairs(rows, file))
    content = parsed_json_or_yaml(path, "class tree", REMEDY)
    if isinstance(content, list):
        if all(isinstance(item, list) for item in content):
            content = {f"group {at}": group for at, group in enumerate(content, start=1)}
        else:
            return _nested(content, file)
    elif _is_node(content):
        return _nested([content], file)
    return _linked(_flat_pairs(content, known, file))


def free_key(wanted: str, taken: Collection[int | str]) -> str:
    """A key for a group whose name is that of a class: "any person"."""
    key = wanted
    while key in taken:
        key = f"any {key}"
    return key


# --- Nested nodes


def _is_node(item: dict[Any, Any]) -> bool:
    """Groups may be called "children", too; a node has a key beside them, or nodes in them."""
    below = [item[word] for word in CHILDREN if word in item]
    if not below:
        return isinstance(item.get("LabelName"), str)
    has_key = any(isinstance(item.get(word), (str, int)) for word in KEYS)
    return has_key or any(
        isinstance(child, dict) for group in below if isinstance(group, list) for child in group
    )


def _nested(roots: list[Any], file: Place) -> TreeNodes:
    """A node may have several parents; a part of a thing is not a kind of it (Open Images)."""
    nodes = TreeNodes()
    waiting: list[tuple[Any, str | None]] = [(node, None) for node in reversed(roots)]
    # By identity: a node of YAML may be its own child.
    seen: set[int] = set()
    while waiting:
        node, parent = waiting.pop()
        if not isinstance(node, dict):
            nodes.add(_text(node, file, parent), parent)
            continue
        key, *names = _names(node, file if parent is None else file.at(f"below {parent}"))
        nodes.add(key, parent, names)
        if id(node) in seen:
            continue
        seen.add(id(node))
        below = [
            child for word in CHILDREN for child in _children(node, word, file.at(f"node {key}"))
        ]
        waiting.extend((child, key) for child in reversed(below))
        waiting.extend((part, None) for part in _children(node, "Part", file.at(f"node {key}")))
    return nodes


def _names(node: dict[Any, Any], place: Place) -> list[str]:
    """Its key, then what it is called."""
    more = node.get("names")
    values = [*(node.get(word) for word in KEYS), *(more if isinstance(more, list) else [more])]
    names = [str(value) for value in values if isinstance(value, (str, int)) and value != ""]
    if not names:
        raise place.error("a node without LabelName, id or name", REMEDY)
    return names


def _children(node: dict[Any, Any], word: str, place: Place) -> list[Any]:
    children = node.get(word) or []
    if not isinstance(children, list):
        raise place.error(f"{word} is not a list: {str(children)[:60]!r}", REMEDY)
    return children


# --- Lists of children or parents


def _flat_pairs(
    content: dict[Any, Any], known: Collection[str], file: Place
) -> list[tuple[str, str | None]]:
    lists = all(isinstance(value, list) for value in content.values())
    if lists and _lists_children(content, known, file):
        return [
            (_text(child, file, str(group)), str(group))
            for group, children in content.items()
            for child in children
        ]
    pairs: list[tuple[str, str | None]] = []
    for child, value in content.items():
        parents = value if isinstance(value, list) else [] if value is None else [value]
        pairs += [(str(child), _text(parent, file, str(child))) for parent in parents]
        if not parents:
            pairs.append((str(child), None))
    return pairs


def _lists_children(content: Mapping[Any, list[Any]], known: Collection[str], file: Place) -> bool:
    """Whether lists hold children or parents: children are where the classes are."""
    listed = {str(item) for group in content.values() for item in group}
    n_keys = sum(str(key) in known for key in content)
    n_listed = sum(item in known for item in listed)
    if n_keys == n_listed > 0:
        raise file.error(
            "keys and lists name equally many classes: are the lists children or parents?",
            "Give parents as text, such as {cat: animal}, or lines under child,parent",
        )
    return n_listed >= n_keys


def _linked(pairs: list[tuple[str, str | None]]) -> TreeNodes:
    """A group may be called like a class in it, as COCO's supercategory "person" is."""
    nodes = TreeNodes(listed=True)
    taken = {key for pair in pairs for key in pair if key is not None}
    own = {child for child, parent in pairs if child == parent}
    group_of = {name: free_key(f"any {name}", taken) for name in own}
    for child, parent in pairs:
        nodes.add(child, None if parent is None else group_of.get(parent, parent))
    for name, group in group_of.items():
        nodes.add(group, None, [name])
    return nodes


def _text(value: Any, file: Place, near: str | None) -> str:
    if not isinstance(value, (str, int)) or value == "":
        place = file if near is None else file.at(f"at {near}")
        problem = f"expected the name of a class or a node, got {str(value)[:60]!r}"
        raise place.error(problem, REMEDY)
    return str(value)


# --- CSV


def _csv_rows(path: str | PathLike[str]) -> list[tuple[int, list[str]]] | None:
    """Lines with their numbers, if it is a table: by its name, or by its header."""
    named = plain_name(Path(path)).lower().endswith(".csv")
    text = read_text(path)
    if not named and not text[:100].lower().replace(" ", "").startswith(",".join(CSV_HEADER)):
        return None
    rows = csv_rows(text, path)
    return [(line, [cell.strip() for cell in row]) for line, row in rows if any(row)]


def _csv_pairs(rows: list[tuple[int, list[str]]], file: Place) -> list[tuple[str, str | None]]:
    if not rows or [cell.lower() for cell in rows[0][1]] != CSV_HEADER:
        found = ",".join(rows[0][1])[:80] if rows else "nothing"
        problem = f"expected the header child,parent, found {found}"
        raise file.at("line 1").error(problem, "Name the two columns child and parent")
    pairs: list[tuple[str, str | None]] = []
    for line, cells in rows[1:]:
        if len(cells) != len(CSV_HEADER) or not cells[0]:
            raise file.at(f"line {line}").error(
                f"expected a child and its parent, found {','.join(cells)[:80]!r}",
                "Quote names that contain a comma; a root has an empty parent",
            )
        pairs.append((cells[0], cells[1] or None))
    if not pairs:
        raise file.error("no class tree", REMEDY)
    return pairs
