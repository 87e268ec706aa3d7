"""What a file contains, by its first bytes; by its end, or all of it, if in doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from boxlens.errors import InputError
from boxlens.formats.files import damaged_gzip, opened, plain_name, reading, unpacked
from boxlens.formats.places import Place

HEAD_BYTES = 1 << 16
_STREAM_BYTES = 1 << 22
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Each pattern opens with a literal, which is what makes a search fast.
_LVIS = (
    re.compile(rb'"neg_category_ids"\s*:'),
    re.compile(rb'"not_exhaustive_category_ids"\s*:'),
    re.compile(rb'"frequency"\s*:\s*"[rcf]"'),
)
# An image or a category that is complete: without LVIS's fields, it is COCO's.
_COCO = (
    re.compile(rb'"images"\s*:\s*\[\s*(?:\]|\{[^{}]*\})'),
    re.compile(rb'"categories"\s*:\s*\[\s*(?:\]|\{[^{}]*\})'),
    re.compile(rb'"file_name"\s*:[^{}]*\}'),
    re.compile(rb'"supercategory"\s*:[^{}]*\}'),
)
_COCO_KEYS = re.compile(rb'"(?:images|annotations|categories)"\s*:')
_ENDINGS = {
    ".json": "JSON",
    ".csv": "CSV",
    ".parquet": "Parquet",
    ".xml": "XML",
    ".yaml": "YAML",
    ".yml": "YAML",
}
_YOLO_LINE = re.compile(r"\d+(?:\s+[-+.\deE]+){4,5}\s*")
_OFFER = "Boxlens reads COCO, LVIS and Ultralytics JSON, VOC, YOLO, Open Images CSV and Parquet"


@dataclass(frozen=True, slots=True)
class Found:
    """A format, and which of the two roles this content can play."""

    format: str
    what: str
    ground_truth: bool = False
    detections: bool = False


def recognise_file(path: Path) -> Found:
    """The format of a file; raises if it is unknown or only part of one."""
    head = file_head(path)
    if not head.strip():
        raise InputError("the file is empty", path=path, remedy="Check how it was written")
    kind = _kind(head)
    ending = _ENDINGS.get(_ending(path))
    if ending == "YAML" and kind == "text":
        return Found("yolo", "a YOLO data set", ground_truth=True)
    if ending is not None and ending != kind:
        raise InputError(
            f"named like {ending}, but contains {_shown(kind, head)}",
            path=path,
            remedy="Name the right file, or give it the right extension",
        )
    if kind == "Parquet":
        return Found("parquet", "a Parquet table of detections", detections=True)
    if kind == "JSON":
        return _json_file(path, head)
    if kind == "CSV":
        return csv_file(path, head)
    return _text_file(path, kind, head)


def file_head(path: Path) -> bytes:
    """The first bytes, unpacked where the file is gzip, without byte order mark."""
    with reading(path), opened(path) as file, damaged_gzip(path):
        # None from files of the system that have nothing to say yet.
        return (unpacked(file).read(HEAD_BYTES) or b"").removeprefix(_BYTE_ORDER_MARK)


def csv_file(path: Path, head: bytes) -> Found:
    """Open Images boxes or detections, by the header."""
    columns = {name.lower() for name in csv_header(head)}
    if {"imageid", "predictionstring"} <= columns:
        return Found("openimages", "an Open Images submission", detections=True)
    if not {"imageid", "labelname"} <= columns:
        raise InputError(
            f"a CSV file with the columns {', '.join(csv_header(head))[:120]}",
            path=path,
            remedy="Open Images files have ImageID, LabelName, XMin, XMax, YMin, YMax",
        )
    if not {"xmin", "xmax", "ymin", "ymax"} <= columns:
        raise InputError(
            "Open Images labels without boxes",
            path=path,
            remedy="Name the CSV file of the boxes, or the folder that holds both",
        )
    annotated = "source" in columns or any(name.startswith("is") for name in columns)
    scored = bool(columns & {"score", "conf"}) or ("confidence" in columns and not annotated)
    if scored:
        return Found("openimages", "a CSV file of Open Images detections", detections=True)
    return Found("openimages", "a CSV file of Open Images boxes", ground_truth=True)


def csv_header(head: bytes) -> list[str]:
    first = head.lstrip().partition(b"\n")[0].decode("utf-8", errors="replace")
    return [name.strip().strip('"') for name in first.split(",")]


def yolo_numbers(text: str) -> int | None:
    """How many numbers a line of YOLO text has, by the first line; None: it is not YOLO."""
    first = text.lstrip().partition("\n")[0]
    return len(first.split()) if _YOLO_LINE.fullmatch(first) else None


def _kind(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "Parquet"
    start = head.lstrip()[:1]
    if b"\x00" in head or not _is_text(head):
        return "binary data"
    if start in (b"{", b"["):
        return "JSON"
    if start == b"<":
        return "XML"
    first = head.lstrip().partition(b"\n")[0]
    return "CSV" if first.count(b",") > 0 and b"imageid" in first.lower() else "text"


def _is_text(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as problem:
        # The head may end within a character.
        return problem.start >= len(head) - 3
    return True


def _shown(kind: str, head: bytes) -> str:
    if kind != "text":
        return kind
    return f"the text {head.decode('utf-8', errors='replace').strip()[:40]!r}"


def _ending(path: Path) -> str:
    name = plain_name(path).lower()
    return name[name.rfind(".") :] if "." in name else ""


def _json_file(path: Path, head: bytes) -> Found:
    if head.lstrip().startswith(b"["):
        return _json_array(path, head)
    if b'"LabelName"' in head:
        raise InputError(
            "an Open Images class hierarchy, not a data set",
            path=path,
            remedy="Name the folder that holds it beside the CSV file of the boxes",
        )
    name = _coco_or_lvis(path, head)
    return Found(name, f"{name.upper()} ground truth", ground_truth=True)


def _coco_or_lvis(path: Path, head: bytes) -> str:
    ends = [head, *_tail(path)]
    decided = _decided(ends)
    if decided:
        return decided
    # Annotations fill both ends: only what stands between them can tell.
    for part in _parts(path):
        decided = _decided([part])
        if decided:
            return decided
    if any(_COCO_KEYS.search(part) for part in ends):
        return "coco"
    keys = re.findall(r'"([^"]{1,40})"\s*:', head[:400].decode("utf-8", errors="replace"))
    raise InputError(
        f"a JSON object without images, annotations and categories (it has {', '.join(keys[:4])})",
        path=path,
        remedy="COCO ground truth is an object with these three lists; detections are a list",
    )


def _decided(parts: Sequence[bytes]) -> str | None:
    for name, patterns in (("lvis", _LVIS), ("coco", _COCO)):
        if any(pattern.search(part) for part in parts for pattern in patterns):
            return name
    return None


def _tail(path: Path) -> Iterator[bytes]:
    with reading(path), opened(path) as file:
        if unpacked(file) is file:
            file.seek(max(0, path.stat().st_size - HEAD_BYTES))
            yield file.read(HEAD_BYTES)


def _parts(path: Path) -> Iterator[bytes]:
    """The whole content in pieces that overlap."""
    with reading(path), opened(path) as file, damaged_gzip(path):
        content = unpacked(file)
        last = b""
        while piece := content.read(_STREAM_BYTES):
            yield last + piece
            last = piece[-HEAD_BYTES:]


def _json_array(path: Path, head: bytes) -> Found:
    text = head.decode("utf-8", errors="replace").lstrip()[1:].lstrip()
    plain = Found("coco", "a list of COCO results", detections=True)
    if not text or text.startswith("]"):
        return plain
    try:
        record, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        # Cut off by the end of the head, broken or too deep: the reader says where.
        return plain
    if not isinstance(record, dict) or "image_id" not in record:
        raise Place(path, "record 0").error(
            f"a JSON list of {type(record).__name__} without image_id",
            "Results are a list of objects with image_id, category_id, bbox, score",
        )
    if "file_name" in record or isinstance(record["image_id"], str):
        return Found("ultralytics", "Ultralytics predictions", detections=True)
    return plain


def _text_file(path: Path, kind: str, head: bytes) -> Found:
    if re.fullmatch(r"comp.*?_det_.+\.txt", plain_name(path)):
        return Found("voc", "VOC results of one class", detections=True)
    if kind == "XML":
        problem, remedy = "one XML annotation", "Name the folder of the annotations"
    elif kind == "text" and yolo_numbers(head.decode("utf-8", errors="replace")):
        problem, remedy = "one YOLO label file", "Name the folder of the data set"
    else:
        problem, remedy = f"unknown content: {_shown(kind, head)}", _OFFER
    raise InputError(problem, path=path, remedy=remedy)
