"""One VOC annotation, from XML and to XML: an image, its objects, their fields and parts."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from boxlens.errors import InputError
from boxlens.formats.exact_sides import INCLUSIVE, number_of, side_of
from boxlens.formats.files import read_bytes
from boxlens.formats.places import Place
from boxlens.formats.voc.numbers import corner_texts, number_text

Box = tuple[float, float, float, float]

# Children of <object> with a meaning of their own; "parts" is the column made from <part>.
RESERVED = frozenset({"name", "bndbox", "difficult", "part", "parts"})
FLAGS = ("truncated", "occluded")
_SIDES = ("xmin", "ymin", "xmax", "ymax")
_TRUTH = {"0": False, "1": True, "false": False, "true": True}
_NOT_XML_TEXT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class VocObject:
    """An object as its file holds it."""

    name: str
    # The text of xmin, ymin, xmax, ymax: 1-based inclusive pixels; and x, y, w, h (METHODS 0.1).
    corners: Sequence[str]
    box: Box
    difficult: bool
    fields: Mapping[str, str]
    # JSON: a list of {"name": ..., "box": [x, y, w, h]}, boxes continuous (METHODS 0.1).
    parts: str | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """One XML file. Sizes are NaN where it does not give them."""

    file_name: str | None
    width_px: float
    height_px: float
    objects: Sequence[VocObject]
    # Tags of <object> and <part> that hold no single value, or came twice.
    skipped: Sequence[str] = ()


def parse_annotation(path: Path) -> Annotation:
    """Reads one file; whatever is wrong is named by file, object and field."""
    root = _tree(path)
    skipped: list[str] = []
    objects = [
        _object(node, Place(path, f"object {index}"), skipped)
        for index, node in enumerate(root.iterfind("object"), 1)
    ]
    return Annotation(
        file_name=_text(root.find("filename")),
        width_px=_size(root, "width", path),
        height_px=_size(root, "height", path),
        objects=objects,
        skipped=skipped,
    )


def annotation_text(annotation: Annotation) -> str:
    """The file's content: what `parse_annotation` reads back."""
    lines = ["<annotation>"]
    if annotation.file_name:
        lines.append(f"  <filename>{_escaped(annotation.file_name)}</filename>")
    if not math.isnan(annotation.width_px) and not math.isnan(annotation.height_px):
        width, height = number_text(annotation.width_px), number_text(annotation.height_px)
        lines.append(f"  <size><width>{width}</width><height>{height}</height></size>")
    for item in annotation.objects:
        lines.append("  <object>")
        lines += _object_lines(item)
        lines.append("  </object>")
    return "\n".join([*lines, "</annotation>", ""])


def parts_of(text: str) -> list[tuple[str, list[float]]] | None:
    """Names and boxes of a "parts" value; None where it is something else."""
    try:
        parts = [
            (str(part["name"]), [float(part["box"][side]) for side in range(4)])
            for part in json.loads(text)
        ]
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    return parts if all(map(math.isfinite, (v for _, box in parts for v in box))) else None


def _object_lines(item: VocObject) -> Iterator[str]:
    yield f"    <name>{_escaped(item.name)}</name>"
    for tag, value in item.fields.items():
        yield f"    <{tag}>{_escaped(value)}</{tag}>"
    yield f"    <difficult>{int(item.difficult)}</difficult>"
    yield f"    {_bndbox(item.corners)}"
    for name, box in parts_of(item.parts or "[]") or ():
        corners = corner_texts(np.array([box]), lambda _: f"a part of {item.name}")[0]
        yield f"    <part><name>{_escaped(name)}</name>{_bndbox(corners)}</part>"


def _bndbox(corners: Sequence[str]) -> str:
    sides = zip(_SIDES, corners, strict=True)
    return f"<bndbox>{''.join(f'<{tag}>{text}</{tag}>' for tag, text in sides)}</bndbox>"


def _escaped(text: str) -> str:
    bad = _NOT_XML_TEXT.search(text)
    if bad:
        raise InputError(
            f"XML cannot hold the character {bad.group()!r} of {text!r}",
            remedy="Rename it before writing VOC",
        )
    return html.escape(text, quote=False).replace("\r", "&#13;")


def _tree(path: Path) -> Element:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    content = read_bytes(path)
    if not content.strip():
        raise InputError("empty file", path=path, remedy="Copy it again, or remove it")
    try:
        root: Element = fromstring(content)
    except DefusedXmlException as problem:
        raise InputError(
            "XML entities and external references are refused, because they can hide an attack",
            path=path,
            remedy="Remove the DOCTYPE with its ENTITY lines",
        ) from problem
    except (ParseError, ValueError, LookupError) as problem:
        looks_like_xml = content.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0").startswith(b"<")
        what = "damaged or truncated XML" if looks_like_xml else "not an XML file"
        raise InputError(f"{what} ({problem})", path=path, remedy="Copy it again") from problem
    if root.tag != "annotation":
        raise InputError(
            f"expected <annotation>, found <{root.tag}>",
            path=path,
            remedy="Name a folder of VOC annotations",
        )
    return root


def _inside(place: Place, part: str) -> Place:
    return place.at(f"{place.where}, {part}")


def _object(node: Element, place: Place, skipped: list[str]) -> VocObject:
    name = _text(node.find("name"))
    if name is None:
        raise _inside(place, "name").error("missing class", "Every object needs a <name>")
    named = place.at(f"{place.where} ({name})")
    fields: dict[str, str] = {}
    parts: list[dict[str, object]] = []
    seen: set[str] = set()
    for child in node:
        tag = child.tag
        if tag == "part":
            parts.append(_part(child, named, len(parts) + 1, skipped))
        elif tag in seen or tag == "parts" or (len(child) and tag != "bndbox"):
            skipped.append(tag)
        elif tag not in RESERVED and (text := _field(child, named)):
            fields[tag] = text
        seen.add(tag)
    corners, box = _sides(node, named)
    return VocObject(
        name=name,
        corners=corners,
        box=box,
        difficult=_difficult(node, named),
        fields=fields,
        parts=json.dumps(parts) if parts else None,
    )


def _field(node: Element, place: Place) -> str | None:
    text = _text(node)
    if text is None or node.tag not in FLAGS:
        return text
    # Tools write "Unspecified" here as they do for the pose: not known, neither 0 nor 1.
    if text.lower() == "unspecified":
        return None
    if text.lower() in _TRUTH:
        return str(int(_TRUTH[text.lower()]))
    return number_text(_number(node, place, node.tag))


def _part(node: Element, place: Place, index: int, skipped: list[str]) -> dict[str, object]:
    _, box = _sides(node, _inside(place, f"part {index}"))
    skipped.extend(f"part/{child.tag}" for child in node if child.tag not in {"name", "bndbox"})
    return {"name": _text(node.find("name")) or "", "box": list(box)}


def _sides(node: Element, place: Place) -> tuple[list[str], Box]:
    """The texts of a box, and the box."""
    bndbox = node.find("bndbox")
    if bndbox is None:
        raise _inside(place, "bndbox").error(
            "missing box", "Every object and part needs a <bndbox>"
        )
    texts = [_finite_text(bndbox.find(side), place, f"bndbox/{side}") for side in _SIDES]
    left, top, right, bottom = map(number_of, texts)
    x, w = side_of(left, right, INCLUSIVE)
    y, h = side_of(top, bottom, INCLUSIVE)
    # Inclusive pixels: a continuous width of 0 would be xmax = xmin - 1.
    for size, low, high, axis in ((w, left, right, "x"), (h, top, bottom, "y")):
        if size <= 0:
            raise _inside(place, f"bndbox/{axis}max").error(
                f"{axis}max {float(high):g} is below {axis}min {float(low):g}",
                "Corners are 1-based inclusive pixels, the smaller one first",
            )
    return texts, (x, y, w, h)


def _number(node: Element | None, place: Place, field: str) -> float:
    return float(_finite_text(node, place, field))


def _finite_text(node: Element | None, place: Place, field: str) -> str:
    text = _text(node)
    if text is None:
        raise _inside(place, field).error("missing or empty", "A box has xmin, ymin, xmax and ymax")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _inside(place, field).error(f"expected a finite number, found {text!r}", "Correct it")
    return text


def _difficult(node: Element, place: Place) -> bool:
    text = _text(node.find("difficult"))
    if text is None:
        return False
    value = _TRUTH.get(text.lower())
    if value is None:
        raise _inside(place, "difficult").error(f"expected 0 or 1, found {text!r}", "Correct it")
    return value


def _size(root: Element, side: str, path: Path) -> float:
    """NaN where it is missing; labelling tools write 0 for unknown."""
    node = root.find(f"size/{side}")
    if _text(node) is None:
        return math.nan
    value = _number(node, Place(path, "size"), side)
    if value < 0:
        raise InputError(f"negative size {value:g}", path=path, where=f"size, {side}")
    return value or math.nan


def _text(node: Element | None) -> str | None:
    """The stripped text of an element, None where there is none."""
    return None if node is None or node.text is None else node.text.strip() or None
