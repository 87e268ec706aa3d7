"""A class tree over the classes of a data set: from a file, or from the classes themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import NamedTuple

from boxlens.data import Classes, ClassTree, Notice
from boxlens.data.naming import some_names
from boxlens.errors import InputError
from boxlens.formats.class_tree_nodes import TreeNodes, free_key, read_tree_nodes

ROOT = "any class"


class NamedTree(NamedTuple):
    """Nodes are class ids, or texts where they are not classes."""

    tree: ClassTree
    # Of every node: the name to show, then others it is known by.
    names: Mapping[int | str, tuple[str, ...]]
    notices: tuple[Notice, ...] = ()

    def title(self, node: int | str) -> str:
        return self.names[node][0] if node in self.names else str(node)


def read_class_tree(path: str | PathLike[str], classes: Classes) -> NamedTree:
    """JSON, YAML or CSV (see `class_tree_nodes`); nodes are class names, ids or any other names."""
    known = {*classes.name, *map(str, classes.id.tolist())}
    nodes = read_tree_nodes(path, known)
    class_id_of, unclear = _classes_of_nodes(nodes, classes, path)
    if not class_id_of:
        raise InputError(
            "the tree contains no class of the data set; its leaves are "
            f"{some_names(nodes.leaves())}",
            path=path,
            remedy=f"Classes are {some_names(classes.name)}",
        )
    taken: set[int | str] = set(classes.id.tolist())
    id_of: dict[str, int | str] = {}
    for key in nodes.parents:
        id_of[key] = class_id_of[key] if key in class_id_of else free_key(key, taken)
        taken.add(id_of[key])
    tree = ClassTree(
        {id_of[key]: tuple(id_of[one] for one in above) for key, above in nodes.parents.items()}
    )
    name_of = dict(zip(classes.id.tolist(), classes.name, strict=True))
    names = {id_of[key]: _called(key, nodes, name_of.get(id_of[key])) for key in nodes.parents}
    named = NamedTree(tree, names)
    _refuse_cycle(named, path)
    notices = (*_left_out(nodes, class_id_of, classes, path), *_unclear(unclear, path))
    return named._replace(notices=notices)


def supercategory_tree(classes: Classes) -> NamedTree:
    """Class, supercategory, any class; a class without supercategory stands alone."""
    above = classes.supercategory or (None,) * len(classes)
    ids = classes.id.tolist()
    taken = {*ids, *classes.name}
    root = free_key(ROOT, taken)
    node_of: dict[str | None, str] = {}
    parents: dict[int | str, tuple[int | str, ...]] = {}
    names: dict[int | str, tuple[str, ...]] = {root: (ROOT,)}
    for key, name, group in zip(ids, classes.name, above, strict=True):
        shown = name if group is None else group
        node = free_key(shown, {*taken, *names}) if group is None else node_of.get(group)
        if node is None:
            node = node_of[group] = free_key(shown, {*taken, *names})
        parents |= {key: (node,), node: (root,)}
        names |= {node: (shown,), key: (name,)}
    return NamedTree(ClassTree({**parents, root: ()}), names)


def known_tree(classes: Classes) -> NamedTree | None:
    """The tree of the classes themselves, else of their supercategories, else none."""
    if classes.tree is not None:
        names = zip(classes.id.tolist(), classes.name, strict=True)
        return NamedTree(classes.tree, {key: (name,) for key, name in names})
    return None if classes.supercategory is None else supercategory_tree(classes)


def _classes_of_nodes(
    nodes: TreeNodes, classes: Classes, path: str | PathLike[str]
) -> tuple[dict[str, int | str], dict[str, list[str]]]:
    """Node key -> class id, and the classes that several nodes are called by."""
    first: dict[str, list[str]] = {}
    other: dict[str, list[str]] = {}
    for key, names in nodes.names.items():
        for at, name in enumerate(names):
            (other if at else first).setdefault(name, []).append(key)
    leaves = set(nodes.leaves())
    class_id_of: dict[str, int | str] = {}
    name_of: dict[str, str] = {}
    unclear: dict[str, list[str]] = {}
    for class_id, name in zip(classes.id.tolist(), classes.name, strict=True):
        keys = [key for key in (name, str(class_id)) if key in nodes.parents][:1]
        keys = keys or first.get(name) or other.get(name) or []
        lowest = [key for key in keys if key in leaves]
        if len(keys) > 1 and len(lowest) != 1:
            unclear[name] = keys
        for key in (lowest or keys)[:1]:
            if key in class_id_of:
                raise InputError(
                    f"node {key} means two classes, {name_of[key]!r} and {name!r}",
                    path=path,
                    remedy="Give every class its own node, named by the id of the class",
                )
            class_id_of[key] = class_id
            name_of[key] = name
    return class_id_of, unclear


def _called(key: str, nodes: TreeNodes, class_name: str | None) -> tuple[str, ...]:
    names = [*nodes.names.get(key, ()), key]
    return tuple(dict.fromkeys(names if class_name is None else [class_name, *names]))


def _refuse_cycle(named: NamedTree, path: str | PathLike[str]) -> None:
    ring = named.tree.cycle()
    if ring:
        titles = [named.title(node) for node in (*ring, ring[0])]
        raise InputError(
            f"{titles[0]!r} is its own ancestor: {' < '.join(titles)}",
            path=path,
            remedy="Remove one of these links from the tree",
        )


def _left_out(
    nodes: TreeNodes,
    class_id_of: dict[str, int | str],
    classes: Classes,
    path: str | PathLike[str],
) -> Iterable[Notice]:
    found = set(class_id_of.values())
    pairs = zip(classes.id.tolist(), classes.name, strict=True)
    missing = [name for key, name in pairs if key not in found]
    if missing:
        message = (
            f"{path}: classes that are not in the tree ({len(missing):,}) match only themselves "
            f"at every level: {some_names(missing)}"
        )
        yield Notice("class_not_in_tree", len(missing), message)
    slips = [key for key in nodes.leaves() if key not in class_id_of] if nodes.listed else []
    if slips:
        message = f"{path}: unknown classes ({len(slips):,}): {some_names(slips)}"
        yield Notice("unknown_class_in_tree", len(slips), message)


def _unclear(unclear: dict[str, list[str]], path: str | PathLike[str]) -> Iterable[Notice]:
    if unclear:
        name, keys = next(iter(unclear.items()))
        message = (
            f"{path}: class names that several nodes have ({len(unclear):,}), of which the "
            f"first is used: {some_names(unclear)} ({name!r}: {some_names(keys)})"
        )
        yield Notice("several_nodes_for_class", len(unclear), message)
